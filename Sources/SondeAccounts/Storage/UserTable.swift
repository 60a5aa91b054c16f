import SondeSQLite

/// The rows of users; changes must run within a transaction.
struct UserTable {
  let database: Database

  /// A user with their password's hash.
  struct Row {
    let user: User
    /// `nil` if no password is valid.
    let password: PasswordHash?
  }

  func find(email: String) throws(SQLiteError) -> Row? {
    try database.rows(
      "SELECT id, email, is_admin, is_disabled, created, password FROM users WHERE email = ?",
      [.text(email)],
      read: Self.row
    ).first ?? nil
  }

  func find(id: String) throws(SQLiteError) -> Row? {
    try database.rows(
      "SELECT id, email, is_admin, is_disabled, created, password FROM users WHERE id = ?",
      [.text(id)],
      read: Self.row
    ).first ?? nil
  }

  func all() throws(SQLiteError) -> [User] {
    try database.rows(
      "SELECT id, email, is_admin, is_disabled, created FROM users ORDER BY email",
      read: User.init
    ).compactMap(\.self)
  }

  func hasAdmin() throws(SQLiteError) -> Bool {
    try database.number(
      "SELECT EXISTS (SELECT 1 FROM users WHERE is_admin AND NOT is_disabled)"
    ) == 1
  }

  func insert(_ user: User, _ password: PasswordHash) throws(SQLiteError) {
    try database.run(
      """
      INSERT INTO users (id, email, password, is_admin, is_disabled, created)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(user.id), .text(user.email.text), .text(password.text), .flag(user.isAdmin),
        .flag(user.isDisabled), .moment(user.createdAt),
      ]
    )
  }

  /// Sets a password; with `nil`, none is valid.
  func setPassword(_ password: PasswordHash?, of user: String) throws(SQLiteError) {
    try database.run(
      "UPDATE users SET password = ? WHERE id = ?",
      [.text(password?.text), .text(user)]
    )
  }

  func setDisabled(_ isDisabled: Bool, _ user: String) throws(SQLiteError) {
    try database.run(
      "UPDATE users SET is_disabled = ? WHERE id = ?",
      [.flag(isDisabled), .text(user)]
    )
  }

  /// Removes a user and everything that refers to them.
  func remove(_ user: String) throws(SQLiteError) {
    try database.run("DELETE FROM users WHERE id = ?", [.text(user)])
  }

  private static func row(_ statement: Statement) -> Row? {
    User(statement).map {
      Row(user: $0, password: statement.optionalText(5).map(PasswordHash.init(kept:)))
    }
  }
}

extension User {
  /// Reads ID, email, whether admin, whether disabled, and creation time, starting at a column;
  /// `nil` if the columns are null or invalid.
  init?(_ statement: Statement, from column: Int32) {
    guard let email = Email(statement.text(column + 1)) else { return nil }
    self.init(
      id: statement.text(column),
      email: email,
      isAdmin: statement.number(column + 2) != 0,
      isDisabled: statement.number(column + 3) != 0,
      createdAt: statement.moment(column + 4)
    )
  }

  fileprivate init?(_ statement: Statement) { self.init(statement, from: 0) }
}
