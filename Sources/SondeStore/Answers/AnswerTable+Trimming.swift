import SondeSQLite

extension AnswerTable {
  /// Whether answers are to go because they are too old or too many.
  func needsTrimming(now: Moment, _ limits: Limits) throws(SQLiteError) -> Bool {
    if try isTooLarge(limits) { return true }
    let texts = TextTable(database: database)
    if try texts.isThere, try texts.hasExpired(now: now) { return true }
    guard let oldest = try database.number("SELECT given FROM answers ORDER BY id LIMIT 1") else {
      return false
    }
    return Self.isOld(oldest, now, limits)
  }

  /// Whether the pages in use are more than they should be.
  func isTooLarge(_ limits: Limits) throws(SQLiteError) -> Bool {
    let pages = try database.number("PRAGMA page_count") ?? 0
    let free = try database.number("PRAGMA freelist_count") ?? 0
    return pages - free > limits.bytes / Schema.pageSize
  }

  /// Removes what nobody may use any more, and the oldest answers, a limited number at a time.
  func trim(now: Moment, _ limits: Limits) throws(SQLiteError) {
    let texts = TextTable(database: database)
    if try texts.isThere { try texts.removeExpired(now: now) }
    var excess = try isTooLarge(limits) ? limits.trimming : 0
    var last: Int64?
    let statement = try database.statement("SELECT id, given FROM answers ORDER BY id LIMIT ?1")
    statement.bind(1, Int64(limits.trimming))
    while try statement.step() {
      guard excess > 0 || Self.isOld(statement.number(1), now, limits) else { break }
      excess -= 1
      last = statement.number(0)
    }
    statement.reset()
    guard let last else {
      if excess > 0, try texts.isThere { try texts.clear() }
      return
    }
    let deletion = try database.statement("DELETE FROM answers WHERE id <= ?1")
    deletion.bind(1, last)
    try deletion.run()
    // Free pages are used again; a file that is mostly free shrinks.
    let pages = try database.number("PRAGMA page_count") ?? 0
    let free = try database.number("PRAGMA freelist_count") ?? 0
    if free > pages / 2 { try database.execute("PRAGMA incremental_vacuum(\(limits.trimming))") }
  }

  /// Answers from before a clock was set back stay: their age cannot be told.
  private static func isOld(_ given: Int64, _ now: Moment, _ limits: Limits) -> Bool {
    let age = Moment(seconds: now.seconds, uptime: 0, boot: 0)
      .age(of: Moment(seconds: given, uptime: 0, boot: 0))
    return age.map { $0 >= limits.age } ?? false
  }
}

/// How much a store keeps.
struct Limits: Sendable {
  /// Bytes of the file; above this the oldest answers go.
  var bytes = 1 << 30

  /// The age at which answers go.
  var age = Duration.seconds(90 * 86_400)

  /// The most answers that go in one transaction.
  var trimming = 16_384

  /// Pages in the log that are written back when nothing else is to be done.
  var idleFrames = 1024

  /// Pages in the log that are written back at once, 128 MiB: a page of the index that many commits
  /// have changed is written back once.
  var mostFrames = 32_768
}
