import SondeAddresses
import SondeRecords
import SondeSQLite
import SondeSystem

/// The rows of answers; all access must be within a transaction.
struct AnswerTable {
  let database: Database

  /// The years 1970 to 9999.
  private static let moments: ClosedRange<Int64> = 0...253_402_300_799

  /// Finds the youngest answer about each address in the sufficient `scopes`, if younger than
  /// `limit`, and appends them in the order of the addresses.
  func find(
    _ addresses: [Address],
    inScopes scopes: [Int64],
    now: AnswerMoment,
    youngerThan limit: Duration?,
    _ found: inout StoredAnswers
  ) throws(SQLiteError) {
    let statement = try database.statement(
      """
      SELECT ip, given, uptime, boot, answer, checksum FROM answers WHERE ip = ?2 AND scope = ?1
      """
    )
    for (position, address) in addresses.enumerated() {
      statement.bind(2, address)
      var youngest: Int64?
      for scope in scopes {
        statement.bind(1, scope)
        defer { statement.reset() }
        guard try statement.step(), let given = Self.given(scope: scope, address, statement),
          now.isFresh(given, youngerThan: limit)
        else { continue }
        if let youngest {
          if given.seconds <= youngest { continue }
          found.removeLast()
        }
        youngest = given.seconds
        statement.withBytes(4) {
          found.append($0, to: position, address, given: given.seconds, scope: scope)
        }
      }
    }
  }

  func insert(
    _ answers: EncodedAnswers,
    inScope scope: Int64,
    now: AnswerMoment
  ) throws(SQLiteError) {
    let statement = try database.statement(
      """
      INSERT OR REPLACE INTO answers (scope, ip, given, uptime, boot, answer, checksum) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """
    )
    let bytes = answers.bytes.span
    statement.bind(1, scope)
    statement.bind(4, now.uptime)
    statement.bind(5, now.boot)
    for item in answers.items {
      let given = AnswerMoment(seconds: item.given, uptime: now.uptime, boot: now.boot)
      let answer = bytes.extracting(item.range)
      statement.bind(2, item.address)
      statement.bind(3, given.seconds)
      statement.bind(7, Self.checksum(scope: scope, item.address, given, answer))
      try statement.run(6, answer)
    }
  }

  /// Reads up to `limit` rows of any age after `id`, or before it if backwards, without damaged
  /// ones; returns the last row, or `nil` if there are no more.
  func list(
    after id: Int64,
    backwards isBackwards: Bool = false,
    limit: Int,
    _ found: inout StoredAnswers
  ) throws(SQLiteError) -> Int64? {
    let statement = try database.statement(isBackwards ? Self.newestFirst : Self.oldestFirst)
    statement.bind(1, id)
    statement.bind(2, Int64(limit))
    defer { statement.reset() }
    var (rows, last) = (0, Int64?.none)
    while try statement.step() {
      rows += 1
      last = statement.number(7)
      let scope = statement.number(6)
      guard let address = statement.address(0),
        let given = Self.given(scope: scope, address, statement)
      else { continue }
      statement.withBytes(4) {
        found.append($0, to: Int(last ?? 0), address, given: given.seconds, scope: scope)
      }
    }
    return rows < limit ? nil : last
  }

  private static let oldestFirst: StaticString = """
    SELECT ip, given, uptime, boot, answer, checksum, scope, id FROM answers \
    WHERE id > ?1 ORDER BY id LIMIT ?2
    """

  private static let newestFirst: StaticString = """
    SELECT ip, given, uptime, boot, answer, checksum, scope, id FROM answers \
    WHERE id < ?1 ORDER BY id DESC LIMIT ?2
    """

  /// Removes the answers about an address in all scopes; returns whether there were any.
  func delete(_ address: Address) throws(SQLiteError) -> Bool {
    let statement = try database.statement("DELETE FROM answers WHERE ip = ?1")
    statement.bind(1, address)
    try statement.run()
    return database.changes > 0
  }

  /// Removes answers of at least an age by one of the two clocks; returns their number.
  func delete(olderThan age: Duration, now: AnswerMoment) throws(SQLiteError) -> Int {
    let statement = try database.statement(
      "DELETE FROM answers WHERE given <= ?1 OR boot = ?2 AND boot <> 0 AND uptime <= ?3"
    )
    statement.bind(latest: age, before: now)
    try statement.run()
    return Int(database.changes)
  }

  func clear() throws(SQLiteError) {
    try database.execute("DELETE FROM answers")
    try database.execute("DELETE FROM scopes")
  }

  /// Counts the answers, without the size of the file.
  func statistics(
    _ scopes: [(number: Int64, scope: AnswerScope)]
  ) throws(SQLiteError) -> CacheStatistics {
    let listed = Self.rivals(among: scopes).isEmpty ? "answers a" : Self.newest
    func number(_ value: String, _ order: String = "") throws(SQLiteError) -> Int64? {
      let query = try database.statement(made: "SELECT \(value) FROM \(listed) \(order)")
      defer { query.reset() }
      return try query.step() ? query.optionalNumber(0) : nil
    }
    func given(_ order: String) throws(SQLiteError) -> Int64? {
      try number("a.given", "ORDER BY a.id \(order) LIMIT 1")
        .flatMap { Self.moments.contains($0) ? $0 : nil }
    }
    var statistics = CacheStatistics()
    statistics.answers = Int(try number("count(*)") ?? 0)
    (statistics.oldest, statistics.newest) = (try given("ASC"), try given("DESC"))
    return statistics
  }
}

// MARK: - One answer of a source

extension AnswerTable {
  /// The scopes of each source that has several, the latest first.
  private static func rivals(among scopes: [(number: Int64, scope: AnswerScope)]) -> [[Int64]] {
    Dictionary(grouping: scopes, by: \.scope.provider).values
      .filter { $0.count > 1 }.map { $0.map(\.number) }
  }

  /// Removes answers that the same source has replaced in another scope.
  func removeReplaced(
    from found: inout StoredAnswers,
    _ scopes: [(number: Int64, scope: AnswerScope)]
  ) throws(SQLiteError) {
    for rivals in Self.rivals(among: scopes) {
      let items = found.items.filter { rivals.contains($0.scope) }
      var newest = StoredAnswers()
      let addresses = items.map(\.address)
      try find(addresses, inScopes: rivals, now: .now, youngerThan: nil, &newest)
      let kept = Set(newest.items.map { items[$0.position].address.inScope($0.scope) })
      found.removeAll { rivals.contains($0.scope) && !kept.contains($0.address.inScope($0.scope)) }
    }
  }

  /// The remaining answers; of equally old ones that of the latest scope.
  private static let newest = """
    answers a JOIN scopes s ON s.id = a.scope WHERE NOT EXISTS (\
    SELECT 1 FROM answers b JOIN scopes t ON t.id = b.scope \
    WHERE b.ip = a.ip AND b.scope <> a.scope AND t.provider = s.provider \
    AND (b.given, b.scope) > (a.given, a.scope))
    """
}

/// The key of an answer: there is one per address and scope.
private struct AnswerKey: Hashable {
  let address: Address
  let scope: Int64
}

extension Address {
  fileprivate func inScope(_ scope: Int64) -> AnswerKey { AnswerKey(address: self, scope: scope) }
}

// MARK: - Checking

extension AnswerTable {
  /// The moment of the current row's answer; `nil` if the row is damaged.
  ///
  /// The columns from the second to the sixth are `given` to `checksum`.
  private static func given(scope: Int64, _ address: Address, _ row: Statement) -> AnswerMoment? {
    let given = AnswerMoment(seconds: row.number(1), uptime: row.number(2), boot: row.number(3))
    guard moments.contains(given.seconds) else { return nil }
    let sum = row.withBytes(4) { checksum(scope: scope, address, given, $0) }
    return row.optionalNumber(5) == sum ? given : nil
  }

  private static func checksum(
    scope: Int64,
    _ address: Address,
    _ given: AnswerMoment,
    _ answer: Span<UInt8>
  ) -> Int64 {
    var sum = Checksum()
    sum.update(answer)
    for number in [scope, given.seconds, given.uptime, given.boot] {
      sum.update(word: UInt64(bitPattern: number))
    }
    sum.update(word: address.high)
    sum.update(word: address.low)
    return Int64(bitPattern: sum.value)
  }
}

extension Statement {
  /// Binds the latest moment of rows with at least an age: its second, boot and uptime.
  func bind(latest age: Duration, before now: AnswerMoment) {
    bind(1, now.seconds - age.components.seconds)
    bind(2, now.boot)
    bind(3, now.uptime - Int64(clamping: age.milliseconds))
  }

  /// Binds an address in its stored form.
  func bind(_ index: Int32, _ address: Address) {
    if let ipv4 = address.ipv4 { return bind(index, Int64(ipv4)) }
    var bytes: [UInt8] = []
    bytes.append(bigEndian: address.high)
    bytes.append(bigEndian: address.low)
    bind(index, bytes)
  }

  /// An address in its stored form; `nil` for anything else.
  fileprivate func address(_ column: Int32) -> Address? {
    if let number = optionalNumber(column) {
      return UInt32(exactly: number).map(Address.init(ipv4:))
    }
    return withBytes(column) { bytes in
      guard bytes.count == 16 else { return nil }
      let (high, low): (UInt64, UInt64) = (bytes.number(at: 0), bytes.number(at: 8))
      return Address(high: high.byteSwapped, low: low.byteSwapped)
    }
  }
}
