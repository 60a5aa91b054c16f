import SondeAddresses
public import SondeRecords
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
      /// The address, at the time of the answer.
      public let address: DatedAddress
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
    public mutating func append(_ address: DatedAddress, number: Int64, bytes text: Span<UInt8>) {
      let start = bytes.count
      unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
      items.append(Item(address: address, number: number, range: start..<bytes.count))
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
        "INSERT OR REPLACE INTO answers (ip, period, number, bytes) VALUES (?1, ?2, ?3, ?4)"
      )
      try database.execute("BEGIN")
      for item in answers.items {
        insertion.bind(1, item.address.address)
        insertion.bind(2, Int64(bitPattern: item.address.period.hash))
        insertion.bind(3, item.number)
        try insertion.run(4, answers.bytes.span.extracting(item.range))
      }
      try database.execute("COMMIT")
      isUsed = true
    }
  }

  /// The stored answers about some addresses.
  public func find(_ addresses: [DatedAddress]) -> Answers {
    guard isUsed else { return Answers() }
    var found = Answers()
    perform { database throws(SQLiteError) in
      let query = try database.statement(
        "SELECT number, bytes FROM answers WHERE ip = ?1 AND period = ?2"
      )
      for address in addresses {
        query.bind(1, address.address)
        query.bind(2, Int64(bitPattern: address.period.hash))
        defer { query.reset() }
        guard try query.step() else { continue }
        let number = query.number(0)
        query.withBytes(1) { found.append(address, number: number, bytes: $0) }
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
      tables: """
        CREATE TABLE answers (
          ip, period INTEGER, number INTEGER, bytes BLOB, PRIMARY KEY (ip, period)
        ) WITHOUT ROWID;
        """
    )
    self.database = database
    return database
  }
}
