import SondeSQLite
import SondeSystem

/// The rows of scopes; all access must be within a transaction.
///
/// Nothing is cached between transactions, because another process may have cleared the cache and
/// reassigned the numbers.
struct ScopeTable {
  let database: Database

  /// The numbers of the scopes that include what a scope requires.
  func numbers(including scope: AnswerScope) throws(SQLiteError) -> [Int64] {
    try all().filter { $0.scope.includes(scope) }.map(\.number)
  }

  /// All undamaged scopes, the latest first.
  func all() throws(SQLiteError) -> [(number: Int64, scope: AnswerScope)] {
    let statement = try database.statement(
      """
      SELECT id, provider, endpoint, account, language, fields, checksum FROM scopes ORDER BY id DESC
      """
    )
    defer { statement.reset() }
    var all: [(number: Int64, scope: AnswerScope)] = []
    while try statement.step() {
      let number = statement.number(0)
      let scope = AnswerScope(
        provider: statement.text(1),
        endpoint: statement.text(2),
        account: statement.text(3),
        language: statement.text(4),
        fields: Int(statement.number(5))
      )
      guard statement.optionalNumber(6) == scope.checksum(number) else { continue }
      all.append((number, scope))
    }
    return all
  }

  /// The number of a scope, assigned if necessary.
  func makeNumber(of scope: AnswerScope) throws(SQLiteError) -> Int64 {
    if let number = try all().first(where: { $0.scope == scope })?.number { return number }
    let insertion = try database.statement(
      "INSERT INTO scopes (provider, endpoint, account, language, fields) VALUES (?1, ?2, ?3, ?4, ?5)"
    )
    for (index, text) in scope.texts.enumerated() { insertion.bind(Int32(index + 1), text) }
    insertion.bind(5, Int64(scope.fields))
    try insertion.run()
    let number = database.lastRow
    let update = try database.statement("UPDATE scopes SET checksum = ?2 WHERE id = ?1")
    update.bind(1, number)
    update.bind(2, scope.checksum(number))
    try update.run()
    return number
  }
}

extension AnswerScope {
  fileprivate var texts: [String] { [provider, endpoint, account, language] }

  fileprivate func checksum(_ number: Int64) -> Int64 {
    var sum = Checksum()
    sum.update(word: UInt64(bitPattern: number))
    for text in texts {
      sum.update(word: UInt64(text.utf8.count))
      sum.update(Array(text.utf8).span)
    }
    sum.update(word: UInt64(bitPattern: Int64(fields)))
    return Int64(bitPattern: sum.value)
  }
}
