package import SondeSQLite
import SondeSystem

/// The table in which positions of files are kept, beside what was made of their lines.
package enum PositionTable {
  /// The statement that creates it; `last_time` is the last time of a line of the name.
  package static let definition = """
    CREATE TABLE positions(
      number INTEGER PRIMARY KEY, path TEXT NOT NULL, device INTEGER NOT NULL,
      inode INTEGER NOT NULL, place INTEGER NOT NULL, head BLOB NOT NULL, tail BLOB NOT NULL,
      modified INTEGER NOT NULL, stage INTEGER NOT NULL, is_skipping INTEGER NOT NULL,
      last_time INTEGER
    );
    """

  /// How far files were read, and the last time of a line of each name.
  ///
  /// - Throws: ``SQLiteError``.
  package static func read(
    _ database: Database
  ) throws(SQLiteError) -> ([FilePosition], [String: Int64]) {
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
  ///
  /// - Throws: ``SQLiteError``.
  package static func save(
    _ positions: [FilePosition],
    after saved: [FilePosition],
    in database: Database,
    lastTime: (String) -> Int64?
  ) throws(SQLiteError) {
    for number in Set(saved.map(\.number)).subtracting(positions.map(\.number)) {
      try database.run("DELETE FROM positions WHERE number = ?", [.number(number)])
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
          .number(lastTime(position.path)),
        ]
      )
    }
  }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
