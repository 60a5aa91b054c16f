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
      let insertion = try database.statement(
        """
        INSERT INTO watched (id, user, name, address, note, rank, changes)
        SELECT ?1, ?2, ?3, ?4, ?5, 0, ?6
        WHERE (SELECT count(*) FROM watched WHERE user = ?2) < ?7
        """
      )
      let id = randomDigits(bits: 128)
      insertion.bind(1, id)
      insertion.bind(2, user)
      insertion.bind(3, text.name)
      insertion.bind(4, text.address)
      insertion.bind(5, optional: text.note)
      insertion.bind(6, Array("[]".utf8))
      insertion.bind(7, Int64(limit))
      try insertion.run()
      guard database.changes > 0 else { return nil }
      return try Self.watched(id, of: user, in: database)
    }
  }

  /// The watched addresses of a user, the newest first, and where the next page begins, if any.
  package func watched(
    of user: String,
    before number: Int64?,
    limit: Int
  ) throws(StateError) -> (items: [Watched], next: Int64?) {
    try perform { database throws(SQLiteError) in
      let query = try database.statement(
        """
        SELECT id, user, number, name, address, note, record, rank, checked, changes FROM watched
        WHERE user = ? AND number < ? ORDER BY number DESC LIMIT ?
        """
      )
      query.bind(1, user)
      query.bind(2, number ?? .max)
      query.bind(3, Int64(limit) + 1)
      defer { query.reset() }
      var items: [Watched] = []
      while try query.step() {
        if items.count == limit { return (items, items.last?.number) }
        items.append(Watched(query))
      }
      return (items, nil)
    }
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
      let update = try database.statement(
        """
        UPDATE watched SET name = ?, address = ?, note = ?, record = ?, rank = ?, checked = ?,
          changes = ? WHERE id = ?
        """
      )
      update.bind(1, thing.text.name)
      update.bind(2, thing.text.address)
      update.bind(3, optional: thing.text.note)
      if let record = thing.record { update.bind(4, record) } else { update.bindNothing(4) }
      update.bind(5, Int64(thing.rank))
      if let moment = thing.checkedAt {
        update.bind(6, moment.milliseconds)
      } else {
        update.bindNothing(6)
      }
      update.bind(7, JSON.array(thing.changes).bytes)
      update.bind(8, id)
      try update.run()
      return (thing, result)
    }
  }

  /// Deletes a watched address of a user, or all of them; false if there was none.
  @discardableResult
  package func deleteWatched(_ id: String?, of user: String) throws(StateError) -> Bool {
    try perform { database throws(SQLiteError) in
      let deletion = try database.statement(
        "DELETE FROM watched WHERE user = ?1 AND (?2 IS NULL OR id = ?2)"
      )
      deletion.bind(1, user)
      deletion.bind(2, optional: id)
      try deletion.run()
      return database.changes > 0
    }
  }

  /// The watched address with the oldest answer, if that is from before a moment.
  func watchedLongestAgo(before moment: Timestamp) throws(StateError) -> Watched? {
    try perform { database throws(SQLiteError) in
      let query = try database.statement(
        """
        SELECT id, user, number, name, address, note, record, rank, checked, changes FROM watched
        WHERE checked IS NULL OR checked < ? ORDER BY checked LIMIT 1
        """
      )
      query.bind(1, moment.milliseconds)
      defer { query.reset() }
      return try query.step() ? Watched(query) : nil
    }
  }

  private static func watched(
    _ id: String,
    of user: String,
    in database: Database
  ) throws(SQLiteError) -> Watched? {
    let query = try database.statement(
      """
      SELECT id, user, number, name, address, note, record, rank, checked, changes FROM watched
      WHERE id = ? AND user = ?
      """
    )
    query.bind(1, id)
    query.bind(2, user)
    defer { query.reset() }
    return try query.step() ? Watched(query) : nil
  }
}

extension Watched {
  /// Reads the columns id, user, number, name, address, note, record, rank, checked and changes.
  fileprivate init(_ row: Statement) {
    self.init(
      id: row.text(0),
      user: row.text(1),
      number: row.number(2),
      text: Text(name: row.text(3), address: row.text(4), note: row.optionalText(5)),
      record: row.bytes(6),
      rank: Int(clamping: row.number(7)),
      checkedAt: row.optionalNumber(8).map { Timestamp(milliseconds: $0) },
      changes: row.bytes(9).flatMap { try? JSON(parsing: $0) }?.elements ?? []
    )
  }
}
