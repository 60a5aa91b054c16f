import SondeSQLite

/// The rows of sessions and tokens; changes must run within a transaction.
struct AccessTable {
  let database: Database
  private static let longestListing = 1000

  /// Whether the rows belong to users or, without accounts, to nobody.
  let hasAccounts: Bool

  private func mayUse(_ user: User?) -> Bool {
    hasAccounts ? user?.isDisabled == false : user == nil
  }

  // MARK: Sessions

  func session(of secret: Fingerprint, _ now: Duration) throws(SQLiteError) -> Session? {
    try database.rows(
      """
      SELECT s.id, s.created, s.expires, s.number, u.id, u.email, u.is_admin, u.is_disabled,
        u.created
      FROM sessions s LEFT JOIN users u ON u.id = s.user
      WHERE s.secret = ?1 AND s.expires > ?2 AND (s.user IS NOT NULL) = ?3
      """,
      [.secret(secret), .moment(now), .flag(hasAccounts)],
      read: Self.session
    ).first { mayUse($0.user) }
  }

  func sessions(
    of user: String?,
    before number: Int64,
    limit: Int,
    _ now: Duration
  ) throws(SQLiteError) -> Listing<Session> {
    let limit = min(max(1, limit), Self.longestListing)
    let rows = try database.rows(
      """
      SELECT s.id, s.created, s.expires, s.number, u.id, u.email, u.is_admin, u.is_disabled,
        u.created
      FROM sessions s LEFT JOIN users u ON u.id = s.user
      WHERE s.user IS ?1 AND s.number < ?2 AND s.expires > ?3 ORDER BY s.number DESC LIMIT ?4
      """,
      [.text(user), .number(number), .moment(now), .number(Int64(limit) + 1)],
      read: { (Self.session($0), $0.number(3)) }
    )
    return Listing(rows, limit: limit)
  }

  func insert(_ session: Session, _ secret: Fingerprint) throws(SQLiteError) {
    try database.run(
      "INSERT INTO sessions (secret, id, user, created, expires) VALUES (?, ?, ?, ?, ?)",
      [
        .secret(secret), .text(session.id), .text(session.user?.id), .moment(session.createdAt),
        .moment(session.expiresAt),
      ]
    )
  }

  // Each returns the IDs of the ended rows.

  func endSession(of secret: Fingerprint) throws(SQLiteError) -> [String] {
    try ids("DELETE FROM sessions WHERE secret = ? RETURNING id", [.secret(secret)])
  }

  func endSession(_ id: String, of user: String?) throws(SQLiteError) -> [String] {
    try ids(
      "DELETE FROM sessions WHERE id = ? AND user IS ? RETURNING id",
      [.text(id), .text(user)]
    )
  }

  func endSessions(of user: String?, but id: String?) throws(SQLiteError) -> [String] {
    try ids(
      "DELETE FROM sessions WHERE user IS ? AND id IS NOT ? RETURNING id",
      [.text(user), .text(id)]
    )
  }

  /// Ends the oldest sessions of a user beyond a number.
  func endSessions(of user: String?, beyond count: Int64) throws(SQLiteError) -> [String] {
    try ids(
      """
      DELETE FROM sessions WHERE number IN (
        SELECT number FROM sessions WHERE user IS ? ORDER BY number DESC LIMIT -1 OFFSET ?
      ) RETURNING id
      """,
      [.text(user), .number(count)]
    )
  }

  func endSessions(until now: Duration) throws(SQLiteError) -> [String] {
    try ids("DELETE FROM sessions WHERE expires <= ? RETURNING id", [.moment(now)])
  }

  private static func session(_ statement: Statement) -> Session {
    Session(
      id: statement.text(0),
      user: User(statement, from: 4),
      createdAt: statement.moment(1),
      expiresAt: statement.moment(2)
    )
  }

  private func ids(_ sql: StaticString, _ values: [BoundValue]) throws(SQLiteError) -> [String] {
    try database.rows(sql, values) { $0.text(0) }
  }
}

// MARK: - Tokens

extension AccessTable {
  func token(of secret: Fingerprint) throws(SQLiteError) -> Token? {
    try database.rows(
      """
      SELECT t.id, t.created, t.name, t.number, u.id, u.email, u.is_admin, u.is_disabled, u.created
      FROM tokens t LEFT JOIN users u ON u.id = t.user
      WHERE t.secret = ? AND (t.user IS NOT NULL) = ?
      """,
      [.secret(secret), .flag(hasAccounts)],
      read: Self.token
    ).first { mayUse($0.user) }
  }

  func tokens(
    of user: String?,
    before number: Int64,
    limit: Int
  ) throws(SQLiteError) -> Listing<Token> {
    let limit = min(max(1, limit), Self.longestListing)
    let rows = try database.rows(
      """
      SELECT t.id, t.created, t.name, t.number, u.id, u.email, u.is_admin, u.is_disabled, u.created
      FROM tokens t LEFT JOIN users u ON u.id = t.user
      WHERE t.user IS ?1 AND t.number < ?2 ORDER BY t.number DESC LIMIT ?3
      """,
      [.text(user), .number(number), .number(Int64(limit) + 1)],
      read: { (Self.token($0), $0.number(3)) }
    )
    return Listing(rows, limit: limit)
  }

  func countTokens(of user: String?) throws(SQLiteError) -> Int64 {
    try database.rows("SELECT count(*) FROM tokens WHERE user IS ?", [.text(user)]) {
      $0.number(0)
    }.first ?? 0
  }

  func insert(_ token: Token, _ secret: Fingerprint) throws(SQLiteError) {
    try database.run(
      "INSERT INTO tokens (secret, id, user, created, name) VALUES (?, ?, ?, ?, ?)",
      [
        .secret(secret), .text(token.id), .text(token.user?.id), .moment(token.createdAt),
        .text(token.name),
      ]
    )
  }

  // Each returns the IDs of the ended rows.

  func revokeToken(_ id: String, of user: String?) throws(SQLiteError) -> [String] {
    try ids("DELETE FROM tokens WHERE id = ? AND user IS ? RETURNING id", [.text(id), .text(user)])
  }

  func revokeTokens(of user: String?) throws(SQLiteError) -> [String] {
    try ids("DELETE FROM tokens WHERE user IS ? RETURNING id", [.text(user)])
  }

  private static func token(_ statement: Statement) -> Token {
    Token(
      id: statement.text(0),
      name: statement.text(2),
      user: User(statement, from: 4),
      createdAt: statement.moment(1)
    )
  }
}

extension Listing {
  /// Creates a page from the rows, with their numbers, of a query for one more than the limit.
  fileprivate init(_ rows: [(Item, Int64)], limit: Int) {
    let items = rows.prefix(limit)
    self.init(items: items.map(\.0), next: rows.count > limit ? items.last?.1 : nil)
  }
}
