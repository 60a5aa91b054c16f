public import Addresses
public import Records

/// The cache of answers and the ledger, in one SQLite file that any number of processes share.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is told once
/// to `warn` and given up.
public actor Store {
  private let executor = BlockingExecutor(label: "sonde.store")
  private let path: String
  private let warn: @Sendable (String) -> Void

  /// The random identity of this process in the ledger.
  public nonisolated let holder: UInt64

  private var answers: [AnswerScope: [Address: (record: Record, bytes: [UInt8])]] = [:]
  private var ledger: [String: [UInt8]] = [:]

  /// Runs on a thread of its own, since SQLite waits for disks and other processes.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names the file; it is opened, and made if need be, at the first use.
  ///
  /// - Parameters:
  ///   - path: The database. The folders it lies in are made if missing.
  ///   - warn: Told once for each thing that is wrong with the file; called on the store's thread.
  public init(path: String, warn: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.warn = warn
    holder = UInt64.random(in: 1..<1 << 62)
  }

  /// Looks addresses up.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, of which any may come twice.
  ///   - scope: What would be asked.
  ///   - age: How old an answer may be; `nil` for any age.
  /// - Returns: The answers that there are.
  public func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> CachedAnswers {
    var found = CachedAnswers()
    guard let known = answers[scope] else { return found }
    for (position, address) in addresses.enumerated() {
      guard let (record, bytes) = known[address] else { continue }
      var copy = record
      copy.isCached = true
      for field in TextField.allCases where !record[field].isEmpty {
        let range = record[field]
        let start = Int(range.offset)
        copy[field] = found.block.append(
          text: bytes.span.extracting(start..<start + Int(range.count))
        )
      }
      found.block.records.append(copy)
      found.positions.append(position)
    }
    return found
  }

  /// Saves the `ok` and `unknown` records of a block; others are left out.
  ///
  /// Those who save at the same moment share a transaction.
  /// - Parameters:
  ///   - answers: The records.
  ///   - scope: What was asked.
  public func save(_ answers: RecordBlock, in scope: AnswerScope) async {
    for record in answers.records where record.status == .ok || record.status == .unknown {
      guard let address = record.address else { continue }
      self.answers[scope, default: [:]][address] = (record, answers.bytes)
    }
  }

  /// Changes a row of the ledger; no other process changes it at the same time.
  ///
  /// - Parameters:
  ///   - key: The row.
  ///   - body: Makes the change. It may be called again when a transaction has to be repeated, so it
  ///     must do nothing but change the row.
  /// - Returns: What the body returned, once the change is committed; `nil` when there is no store
  ///   to be used, so that the caller must do without.
  public func update<R: Sendable>(
    _ key: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> R? {
    let holder = holder
    var row = LedgerRow(bytes: ledger[key] ?? []) { $0 == holder }
    let result = body(&row)
    ledger[key] = row.bytes
    return result
  }

  /// Lists answers of whatever age.
  ///
  /// - Parameters:
  ///   - cursor: Where to go on; `nil` at the beginning.
  ///   - limit: How many at most.
  /// - Returns: The answers, and where to go on.
  public func page(after cursor: CacheCursor?, limit: Int) async -> CachePage { CachePage() }

  /// Lists what is known of some addresses, of whatever age and in every scope.
  public func entries(of addresses: [Address]) async -> CachePage { CachePage() }

  /// Counts what there is.
  public func statistics() async -> CacheStatistics { CacheStatistics() }

  /// Removes all answers of some addresses, in every scope.
  ///
  /// - Returns: How many of the addresses had one.
  public func delete(_ addresses: [Address]) async -> Int { 0 }

  /// Removes all answers and gives their room back; the ledger stays.
  public func clear() async { answers = [:] }

  /// Ends the use of the store; it opens again if it is used after all.
  public func close() async {}
}
