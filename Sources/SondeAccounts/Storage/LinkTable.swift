import SondeSQLite

/// The rows of one-time links; changes must run within a transaction.
struct LinkTable {
  let database: Database

  /// The use of a link.
  enum Purpose: String {
    /// Opens a session without accounts.
    case open
    case admin
    case invitation
    case reset
  }

  /// A link that is neither used nor expired.
  struct Row {
    let purpose: Purpose
    let user: String?
  }

  func find(_ secret: Fingerprint, _ now: Duration) throws(SQLiteError) -> Row? {
    try database.rows(
      "SELECT purpose, user FROM links WHERE secret = ? AND expires > ?",
      [.secret(secret), .moment(now)],
      read: { row in
        Purpose(rawValue: row.text(0)).map { Row(purpose: $0, user: row.optionalText(1)) }
      }
    ).first ?? nil
  }

  func insert(
    _ secret: Fingerprint,
    _ purpose: Purpose,
    of user: String?,
    until end: Duration
  ) throws(SQLiteError) {
    try database.run(
      "INSERT INTO links VALUES (?, ?, ?, ?)",
      [.secret(secret), .text(purpose.rawValue), .text(user), .moment(end)]
    )
  }

  func remove(_ secret: Fingerprint) throws(SQLiteError) {
    try database.run("DELETE FROM links WHERE secret = ?", [.secret(secret)])
  }

  func remove(_ purpose: Purpose) throws(SQLiteError) {
    try database.run("DELETE FROM links WHERE purpose = ?", [.text(purpose.rawValue)])
  }

  func remove(of user: String) throws(SQLiteError) {
    try database.run("DELETE FROM links WHERE user = ?", [.text(user)])
  }

  func remove(until now: Duration) throws(SQLiteError) {
    try database.run("DELETE FROM links WHERE expires <= ?", [.moment(now)])
  }
}
