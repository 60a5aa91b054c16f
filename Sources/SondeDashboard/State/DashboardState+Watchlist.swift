import SondeRecords
import SondeSQLite
import SondeSystem
import SondeWeb

extension DashboardState {
  /// Adds an address to a user's list; `nil` if the list already has `limit` addresses.
  package func watch(
    _ text: Watched.Text,
    of user: String,
    limit: Int
  ) throws(StateError) -> Watched? {
    try perform { database throws(SQLiteError) in
      let id = randomDigits(bits: 128)
      let count = try database.run(
        """
        INSERT INTO watched (id, user, name, address, note, rank, changes)
        SELECT ?1, ?2, ?3, ?4, ?5, 0, ?6
        WHERE (SELECT count(*) FROM watched WHERE user = ?2) < ?7
        """,
        [
          .text(id), .text(user), .text(text.name), .text(text.address), .text(text.note),
          .bytes(Array("[]".utf8)), .number(Int64(limit)),
        ]
      )
      guard count > 0 else { return nil }
      return try Self.watched(id, of: user, in: database)
    }
  }

  /// The watched addresses of a user, the newest first, and where the next page begins, if any.
  package func watched(
    of user: String,
    before number: Int64?,
    limit: Int
  ) throws(StateError) -> (items: [Watched], next: Int64?) {
    try page(
      """
      SELECT number, id, user, name, address, note, record, rank, checked, changes FROM watched
      WHERE user = ? AND number < ? ORDER BY number DESC LIMIT ?
      """,
      of: user,
      before: number,
      limit: limit
    ) { Watched($0) }
  }

  package func isWatched(_ id: String, by user: String) throws(StateError) -> Bool {
    try perform { database throws(SQLiteError) in
      try Self.watched(id, of: user, in: database) != nil
    }
  }

  /// Changes a watched address; returns it with the result of `change`, or `nil` if it is missing.
  package func change<Result>(
    _ id: String,
    of user: String,
    _ change: (inout Watched) -> Result
  ) throws(StateError) -> (Watched, Result)? {
    try perform { database throws(SQLiteError) in
      guard var thing = try Self.watched(id, of: user, in: database) else { return nil }
      let result = change(&thing)
      try database.run(
        """
        UPDATE watched SET name = ?, address = ?, note = ?, record = ?, rank = ?, checked = ?,
          changes = ? WHERE id = ?
        """,
        [
          .text(thing.text.name), .text(thing.text.address), .text(thing.text.note),
          .bytes(thing.record), .number(Int64(thing.rank)), .number(thing.checkedAt?.milliseconds),
          .bytes(JSON.array(thing.changes).bytes), .text(id),
        ]
      )
      return (thing, result)
    }
  }

  /// Deletes a watched address of a user, or all of them; false if there was none.
  @discardableResult
  package func deleteWatched(_ id: String?, of user: String) throws(StateError) -> Bool {
    try perform { database throws(SQLiteError) in
      try database.run(
        "DELETE FROM watched WHERE user = ?1 AND (?2 IS NULL OR id = ?2)",
        [.text(user), .text(id)]
      ) > 0
    }
  }

  /// The watched address with the oldest answer, if that is from before a moment.
  func watchedLongestAgo(before moment: Timestamp) throws(StateError) -> Watched? {
    try perform { database throws(SQLiteError) in
      try database.rows(
        """
        SELECT number, id, user, name, address, note, record, rank, checked, changes FROM watched
        WHERE checked IS NULL OR checked < ? ORDER BY checked LIMIT 1
        """,
        [.number(moment.milliseconds)]
      ) { Watched($0) }.first
    }
  }

  private static func watched(
    _ id: String,
    of user: String,
    in database: Database
  ) throws(SQLiteError) -> Watched? {
    try database.rows(
      """
      SELECT number, id, user, name, address, note, record, rank, checked, changes FROM watched
      WHERE id = ? AND user = ?
      """,
      [.text(id), .text(user)]
    ) { Watched($0) }.first
  }
}

extension Watched {
  /// Reads the columns number, id, user, name, address, note, record, rank, checked and changes.
  fileprivate init(_ row: Statement) {
    self.init(
      id: row.text(1),
      user: row.text(2),
      number: row.number(0),
      text: Text(name: row.text(3), address: row.text(4), note: row.optionalText(5)),
      record: row.bytes(6),
      rank: Int(clamping: row.number(7)),
      checkedAt: row.optionalNumber(8).map { Timestamp(milliseconds: $0) },
      changes: row.bytes(9).flatMap { try? JSON(parsing: $0) }?.elements ?? []
    )
  }
}
