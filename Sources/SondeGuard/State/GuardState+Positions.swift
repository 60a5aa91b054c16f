import SondeFollow
import SondeSQLite
import SondeSystem

extension GuardState {
  /// How far files were read, and the last time of a line of each name.
  func positions() throws(SQLiteError) -> ([FilePosition], [String: Int64]) {
    var times: [String: Int64] = [:]
    let positions = try database.rows(
      """
      SELECT number, path, device, inode, place, head, tail, modified, stage, is_skipping, last_time
      FROM positions ORDER BY number
      """,
      []
    ) { row in
      let bytes = { (column: Int32) in
        row.withBytes(column) { bytes in bytes.indices.map { bytes[$0] } }
      }
      let identity = FileIdentity(
        device: UInt64(bitPattern: row.number(2)),
        number: UInt64(bitPattern: row.number(3))
      )
      var position = FilePosition(
        number: row.number(0),
        path: row.text(1),
        identity: identity,
        modified: .nanoseconds(row.number(7))
      )
      (position.offset, position.head, position.tail) = (Int(row.number(4)), bytes(5), bytes(6))
      position.stage = FilePosition.Stage(rawValue: Int(row.number(8))) ?? .done
      position.isSkipping = row.number(9) != 0
      if let time = row.optionalNumber(10) { times[position.path] = time }
      return position
    }
    return (positions, times)
  }

  /// Saves what has changed of the positions, and of the last times of names.
  func save(
    _ positions: [FilePosition],
    after saved: [FilePosition],
    _ times: [String: Int64?]
  ) throws(SQLiteError) {
    let numbers = Set(positions.map(\.number))
    for position in saved where !numbers.contains(position.number) {
      try database.run("DELETE FROM positions WHERE number = ?", [.number(position.number)])
    }
    let known = Dictionary(saved.map { ($0.number, $0) }) { _, last in last }
    for position in positions where known[position.number] != position {
      try database.run(
        "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
          .number(position.number), .text(position.path),
          .number(Int64(bitPattern: position.identity.device)),
          .number(Int64(bitPattern: position.identity.number)), .number(Int64(position.offset)),
          .bytes(position.head), .bytes(position.tail), .number(position.modified.wholeNanoseconds),
          .number(Int64(position.stage.rawValue)), .number(position.isSkipping ? 1 : 0),
          .number(times[position.path] ?? nil),
        ]
      )
    }
  }

  /// The names that were followed before.
  func names() throws(SQLiteError) -> Set<String> {
    Set(try database.rows("SELECT name FROM names", []) { $0.text(0) })
  }

  /// Saves the names that are followed.
  func save(_ names: Set<String>) throws(SQLiteError) {
    for name in names {
      try database.run("INSERT OR IGNORE INTO names VALUES (?)", [.text(name)])
    }
  }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
