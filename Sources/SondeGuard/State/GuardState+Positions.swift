import SondeFollow
import SondeSQLite

extension GuardState {
  /// How far files were read, and the last time of a line of each name.
  func positions() throws(SQLiteError) -> ([FilePosition], [String: Int64]) {
    try PositionTable.read(database)
  }

  /// Saves what has changed of the positions, and of the last times of names.
  func save(
    _ positions: [FilePosition],
    after saved: [FilePosition],
    lastTime: (String) -> Int64?
  ) throws(SQLiteError) {
    try PositionTable.save(positions, after: saved, in: database, lastTime: lastTime)
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
