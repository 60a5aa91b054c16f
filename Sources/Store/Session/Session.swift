import Addresses
import System

/// An open database, and what this process knows of what is in it.
///
/// Nothing here decides what to do about an error; the store does.
final class Session {
  let file: CacheFile
  let database: Database

  /// Which file was opened.
  let identity: FileIdentity

  let isWritable: Bool

  /// Tells it from every other one.
  let mark = UInt64.random(in: 0...UInt64.max)

  let limits: Limits

  /// The parts of the index, the newest first.
  var runs: [Run] = []

  /// Rows of these runs.
  var rows = RowCache()

  /// The places of the answers that no run knows of.
  var tail = KeyTable()

  /// The answers that the tail was made of.
  var tailCount = 0

  /// The last chunk in the tail, or in the index where the tail is empty.
  var lastKnown: Int64 = 0

  /// The last chunk that there is.
  var lastChunk: Int64 = 0

  /// The numbers of the scopes met so far.
  var scopes: [AnswerScope: Int64] = [:]

  /// Whether what is too old was looked for.
  var isTrimmed = false

  /// What this transaction adds to the tail.
  var added: [(key: Int64, place: Place)] = []

  init(_ file: CacheFile, limits: Limits) throws(StoreError) {
    self.file = file
    self.limits = limits
    let opened = try file.open()
    database = opened.database
    identity = opened.identity
    isWritable = opened.isWritable
  }

  /// What it holds, as far as other connections have changed it
  /// (https://www.sqlite.org/pragma.html#pragma_data_version).
  func view() throws(StoreError) -> StoreView {
    StoreView(session: mark, version: try database.number("PRAGMA data_version") ?? 0)
  }

  /// Whether the file is still the one at its path.
  var isInPlace: Bool { FileStatus(path: file.path)?.identity == identity }

  /// Reads, everything as it was at one moment.
  func read<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try transaction("BEGIN", body)
  }

  /// Changes everything or nothing, while nobody else changes anything.
  func write<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    guard isWritable else { throw StoreError(.forbidden, "\(file.path) may not be written") }
    return try transaction("BEGIN IMMEDIATE", body)
  }

  private func transaction<R>(
    _ begin: StaticString,
    _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try database.statement(begin).run()
    do {
      try refresh()
      let result = try body()
      try database.statement("COMMIT").run()
      noteAdded()
      return result
    } catch {
      added.removeAll(keepingCapacity: true)
      // Some errors have ended it already (https://www.sqlite.org/lang_transaction.html).
      if database.isInTransaction { try? database.statement("ROLLBACK").run() }
      // What was learnt of a state that never came to be is forgotten.
      forget()
      throw error
    }
  }

  private func noteAdded() {
    for entry in added { tail.insert(entry.key, entry.place) }
    tailCount += added.count
    added.removeAll(keepingCapacity: true)
    lastKnown = max(lastKnown, lastChunk)
  }

  private func forget() {
    runs = []
    rows.keep([])
    scopes = [:]
    tail.removeAll()
    (tailCount, lastKnown) = (0, 0)
  }
}

/// How much a store lets come together.
struct Limits: Sendable {
  /// Answers that no run knows of: each process loads them when it opens the store.
  var tail = 64 << 10

  /// Bytes of the file; above this the oldest answers go.
  var bytes = 1 << 30

  /// The age at which answers go.
  var age = Duration.seconds(90 * 86_400)

  /// The most chunks that go in one transaction.
  var trimming: Int64 = 16_384

  /// Pages in the log that are written back when nothing else is to be done.
  var idleFrames = 1024

  /// Pages in the log that are written back at once.
  var mostFrames = 8192
}
