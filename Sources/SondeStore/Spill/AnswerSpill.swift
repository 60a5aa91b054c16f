public import SondeAddresses

import SondeSQLite
import SondeSystem

/// Answers of one run that do not fit into memory, in an unnamed temporary file.
///
/// No method fails: if the disk is full or broken, `warn` is called once, and nothing is found.
public actor AnswerSpill {
  /// Answers in any format.
  public struct Answers: Sendable {
    /// An answer: the address, a number, and the range of its bytes.
    public struct Item: Sendable {
      /// The address.
      public let address: Address
      /// Distinguishes answers about the same address.
      public let variant: UInt32
      /// A number that belongs to the answer.
      public let number: Int64
      /// The range of its bytes.
      public let range: Range<Int>
    }

    /// The answers.
    public private(set) var items: [Item] = []
    /// The bytes of all of them.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty list.
    public init() {}

    /// Adds an answer.
    public mutating func append(
      _ address: Address,
      variant: UInt32 = 0,
      number: Int64,
      bytes text: Span<UInt8>
    ) {
      let start = bytes.count
      unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
      let range = start..<bytes.count
      items.append(Item(address: address, variant: variant, number: number, range: range))
    }
  }

  private let executor = BlockingExecutor(label: "sonde.spill")
  private let warn: @Sendable (String) -> Void
  private var database: Database?
  private var hasFailed = false
  /// Whether anything is stored.
  private var isUsed = false

  /// The executor of a separate thread, since it waits for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates an empty one, with a file in `TMPDIR` from first use; `warn` receives the first
  /// problem.
  public init(warn: @escaping @Sendable (String) -> Void) { self.warn = warn }

  /// Stores answers, replacing earlier ones.
  public func save(_ answers: Answers) {
    perform { database throws(SQLiteError) in
      let insertion = try database.statement(
        "INSERT OR REPLACE INTO answers (ip, variant, number, bytes) VALUES (?1, ?2, ?3, ?4)"
      )
      try database.execute("BEGIN")
      for item in answers.items {
        insertion.bind(1, item.address)
        insertion.bind(2, Int64(item.variant))
        insertion.bind(3, item.number)
        try insertion.run(4, answers.bytes.span.extracting(item.range))
      }
      try database.execute("COMMIT")
      isUsed = true
    }
  }

  /// The stored answers about some addresses, each with the variant at its position, or else 0.
  public func find(_ addresses: [Address], variants: [UInt32] = []) -> Answers {
    guard isUsed else { return Answers() }
    var found = Answers()
    perform { database throws(SQLiteError) in
      let query = try database.statement(
        "SELECT number, bytes FROM answers WHERE ip = ?1 AND variant = ?2"
      )
      for (index, address) in addresses.enumerated() {
        let variant = index < variants.count ? variants[index] : 0
        query.bind(1, address)
        query.bind(2, Int64(variant))
        defer { query.reset() }
        guard try query.step() else { continue }
        let number = query.number(0)
        query.withBytes(1) {
          found.append(address, variant: variant, number: number, bytes: $0)
        }
      }
    }
    return found
  }

  private func perform(_ work: (Database) throws(SQLiteError) -> Void) {
    guard !hasFailed else { return }
    do throws(SQLiteError) {
      try work(opened())
    } catch {
      (hasFailed, database) = (true, nil)
      warn("what is learnt is not kept for long: the temporary file: \(error.message)")
    }
  }

  private func opened() throws(SQLiteError) -> Database {
    if let database { return database }
    let database = try Database.temporary(
      tables:
        """
        CREATE TABLE answers (
          ip, variant INTEGER, number INTEGER, bytes BLOB, PRIMARY KEY (ip, variant)
        ) WITHOUT ROWID;
        """
    )
    self.database = database
    return database
  }
}
