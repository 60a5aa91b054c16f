import SondeSQLite

extension Store: KeptTexts {
  /// Looks up texts that have not expired.
  public func texts(
    of keys: [[UInt8]],
    in scope: String,
    youngerThan age: Duration?
  ) -> [[UInt8]?] {
    let found = keeper.perform(for: .reading) { connection throws(SQLiteError) -> [[UInt8]?]? in
      try connection.read { () throws(SQLiteError) in
        let table = TextTable(database: connection.database)
        guard try table.isThere else { return nil }
        return try table.find(keys, inScope: scope, now: .now, youngerThan: age)
      }
    }
    return (found ?? nil) ?? keys.map { _ in nil }
  }

  /// Stores texts; returns when they are committed, or cannot be.
  public func keep(_ texts: [KeptText], in scope: String) async {
    if !texts.isEmpty { await save(.texts(texts, scope)) }
  }
}
