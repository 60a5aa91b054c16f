public import Records
import SQLite
import Synchronization
import System

/// A browser that may ask: known by a secret that is kept as its hash alone.
public struct Session: Sendable, Equatable {
  /// What it is called where sessions are listed and ended.
  public let id: String

  /// Whose it is; empty where there is but one user.
  public let user: String

  /// When it was opened.
  public let createdAt: Timestamp

  /// When it ends by itself.
  public let expiresAt: Timestamp
}

extension DashboardState {
  /// How long a link opens a session.
  public static let linkLifetime = Duration.seconds(600)

  /// How long a session lasts.
  public static let sessionLifetime = Duration.seconds(30 * 86_400)

  /// What a secret of 256 random bits is known by.
  private nonisolated func fingerprint(_ secret: String) -> String {
    sha256InBase64(Array(secret.utf8))
  }

  /// Makes a link, which opens one session.
  ///
  /// - Parameters:
  ///   - user: Whose session it opens.
  ///   - now: This moment.
  /// - Returns: Its secret.
  /// - Throws: ``StateError``.
  public func makeLink(for user: String = "", now: Timestamp = .now) throws(StateError) -> String {
    let secret = randomDigits(bits: 256)
    try perform { database throws(SQLiteError) in
      let insertion = try database.statement("INSERT INTO links VALUES (?, ?, ?)")
      insertion.bind(1, fingerprint(secret))
      insertion.bind(2, user)
      insertion.bind(3, now.milliseconds + Self.linkLifetime.milliseconds)
      try insertion.run()
    }
    return secret
  }

  /// Opens a session by a link, which is used up.
  ///
  /// - Parameters:
  ///   - link: The link's secret.
  ///   - former: The secret of the session that the browser had, which ends.
  ///   - now: This moment.
  /// - Returns: The session and its secret; `nil` where the link is used, too old or none.
  /// - Throws: ``StateError``.
  public func openSession(
    by link: String,
    endingFormer former: String? = nil,
    now: Timestamp = .now
  ) throws(StateError) -> (session: Session, secret: String)? {
    let key = fingerprint(link)
    return try perform { database throws(SQLiteError) in
      let find = try database.statement("SELECT user FROM links WHERE secret = ? AND expires > ?")
      find.bind(1, key)
      find.bind(2, now.milliseconds)
      let user = try find.step() ? find.text(0) : nil
      find.reset()
      guard let user else { return nil }
      try Self.delete("DELETE FROM links WHERE secret = ?", key, in: database)
      if let former {
        forget(former)
        try Self.delete("DELETE FROM sessions WHERE secret = ?", fingerprint(former), in: database)
      }
      return try begin(for: user, now, in: database)
    }
  }

  private func begin(
    for user: String,
    _ now: Timestamp,
    in database: Database
  ) throws(SQLiteError) -> (session: Session, secret: String) {
    let secret = randomDigits(bits: 256)
    let session = Session(
      id: randomDigits(bits: 128),
      user: user,
      createdAt: now,
      expiresAt: Timestamp(
        milliseconds: now.milliseconds + Self.sessionLifetime.milliseconds
      )
    )
    let insertion = try database.statement("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)")
    insertion.bind(1, fingerprint(secret))
    insertion.bind(2, session.id)
    insertion.bind(3, user)
    insertion.bind(4, now.milliseconds)
    insertion.bind(5, session.expiresAt.milliseconds)
    try insertion.run()
    return (session, secret)
  }

  /// The session of a secret; `nil` where there is none, or none any more.
  ///
  /// One that has been met before costs no look into the database.
  public nonisolated func session(
    of secret: String,
    now: Timestamp = .now
  ) async throws(StateError) -> Session? {
    let key = fingerprint(secret)
    if let session = sessions.withLock({ $0[key] }) {
      return session.expiresAt > now ? session : nil
    }
    guard let session = try await find(key, now) else { return nil }
    sessions.withLock { $0[key] = session }
    return session
  }

  private func find(_ key: String, _ now: Timestamp) throws(StateError) -> Session? {
    try perform { database throws(SQLiteError) in
      let find = try database.statement(
        "SELECT id, user, created, expires FROM sessions WHERE secret = ? AND expires > ?"
      )
      find.bind(1, key)
      find.bind(2, now.milliseconds)
      defer { find.reset() }
      guard try find.step() else { return nil }
      return Session(
        id: find.text(0),
        user: find.text(1),
        createdAt: Timestamp(milliseconds: find.number(2)),
        expiresAt: Timestamp(milliseconds: find.number(3))
      )
    }
  }

  /// Ends a session.
  public func endSession(of secret: String) throws(StateError) {
    let key = fingerprint(secret)
    forget(secret)
    try perform { database throws(SQLiteError) in
      try Self.delete("DELETE FROM sessions WHERE secret = ?", key, in: database)
    }
  }

  private nonisolated func forget(_ secret: String) {
    let key = fingerprint(secret)
    sessions.withLock { $0[key] = nil }
  }

  /// Removes the links and sessions that are over.
  func removeExpired(now: Timestamp) throws(StateError) {
    try perform { database throws(SQLiteError) in
      for table in ["links", "sessions"] {
        let deletion = try database.statement(made: "DELETE FROM \(table) WHERE expires <= ?")
        deletion.bind(1, now.milliseconds)
        try deletion.run()
      }
    }
  }

  private static func delete(
    _ sql: StaticString,
    _ key: String,
    in database: Database
  ) throws(SQLiteError) {
    let deletion = try database.statement(sql)
    deletion.bind(1, key)
    try deletion.run()
  }
}
