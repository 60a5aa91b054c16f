import SondeSQLite

extension AnswerTable {
  func needsTrimming(now: AnswerMoment, _ limits: StoreLimits) throws(SQLiteError) -> Bool {
    if try isTooLarge(limits) { return true }
    let texts = TextTable(database: database)
    if try texts.isThere, try texts.hasExpired(now: now) { return true }
    guard let oldest = try database.number("SELECT given FROM answers ORDER BY id LIMIT 1") else {
      return false
    }
    return Self.isOld(oldest, now, limits)
  }

  func isTooLarge(_ limits: StoreLimits) throws(SQLiteError) -> Bool {
    let pages = try database.number("PRAGMA page_count") ?? 0
    let free = try database.number("PRAGMA freelist_count") ?? 0
    return pages - free > limits.bytes / Schema.pageSize
  }

  /// Removes expired and the oldest answers, a limited number at a time.
  func trim(now: AnswerMoment, _ limits: StoreLimits) throws(SQLiteError) {
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
    // Free pages are reused; a file that is mostly free is shrunk.
    let pages = try database.number("PRAGMA page_count") ?? 0
    let free = try database.number("PRAGMA freelist_count") ?? 0
    if free > pages / 2 { try database.execute("PRAGMA incremental_vacuum(\(limits.trimming))") }
  }

  /// Answers from before a clock was set back are kept, because their age is unknown.
  private static func isOld(_ given: Int64, _ now: AnswerMoment, _ limits: StoreLimits) -> Bool {
    let age = AnswerMoment(seconds: now.seconds, uptime: 0, boot: 0)
      .age(of: AnswerMoment(seconds: given, uptime: 0, boot: 0))
    return age.map { $0 >= limits.age } ?? false
  }
}

/// The limits of a store.
struct StoreLimits: Sendable {
  /// The size of the file in bytes beyond which the oldest answers are removed.
  var bytes = 1 << 30
  var age = Duration.seconds(90 * 86_400)

  /// The largest number of answers removed per transaction.
  var trimming = 16_384

  /// The number of pages in the log that are written back when idle.
  var idleFrames = 1024

  /// The number of pages in the log that are written back immediately: 128 MiB.
  ///
  /// An index page that many commits have changed is then written back only once.
  var mostFrames = 32_768
}
