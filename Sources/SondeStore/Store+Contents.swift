public import SondeAddresses
import SondeSQLite

extension Store {
  /// Lists answers in order of arrival; see ``AnswerStore/page(after:limit:)``.
  public func page(after cursor: CacheCursor?, limit: Int) async -> CachePage? {
    let page = keeper.perform(for: .reading) { connection throws(SQLiteError) -> CachePage? in
      let file = connection.identity
      if let cursor, cursor.file != file { return nil }
      return try connection.read { () throws(SQLiteError) in
        var found = StoredAnswers()
        let table = AnswerTable(database: connection.database)
        let last = try table.list(after: cursor?.row ?? .min, limit: max(1, limit), &found)
        let scopes = try ScopeTable(database: connection.database).all()
        try table.removeReplaced(from: &found, scopes)
        return CachePage(found, scopes, next: last.map { CacheCursor(file: file, row: $0) })
      }
    }
    return page ?? nil
  }

  /// Lists answers, the latest first; see ``AnswerStore/page(before:limit:)``.
  public func page(before row: Int?, limit: Int) async -> (answers: CachePage, next: Int?)? {
    keeper.perform(for: .reading) { connection throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in
        var found = StoredAnswers()
        let table = AnswerTable(database: connection.database)
        let start = Int64(row ?? .max)
        let next = try table.list(after: start, backwards: true, limit: max(1, limit), &found)
        let scopes = try ScopeTable(database: connection.database).all()
        try table.removeReplaced(from: &found, scopes)
        return (CachePage(found, scopes, next: nil), next.map { Int($0) })
      }
    }
  }

  /// Lists the answers about some addresses; see ``AnswerStore/entries(of:)``.
  public func entries(of addresses: [Address]) async -> CachePage? {
    keeper.perform(for: .reading) { connection throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in
        let scopes = try ScopeTable(database: connection.database).all()
        let table = AnswerTable(database: connection.database)
        var found = StoredAnswers()
        for (number, _) in scopes.reversed() {
          try table.find(addresses, inScopes: [number], now: .now, youngerThan: nil, &found)
        }
        var page = CachePage(found, scopes, next: nil)
        page.keepNewest()
        return page
      }
    }
  }

  /// Counts the stored answers; `nil` if the cache cannot be read.
  public func statistics() async -> CacheStatistics? {
    keeper.perform(for: .reading) { connection throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in
        let scopes = try ScopeTable(database: connection.database).all()
        var statistics = try AnswerTable(database: connection.database).statistics(scopes)
        statistics.bytes = connection.file.size
        return statistics
      }
    }
  }

  /// Removes all answers about some addresses; see ``AnswerStore/delete(_:)``.
  public func delete(_ addresses: [Address]) async -> Int? {
    keeper.perform(for: .writing) { connection throws(SQLiteError) in
      let database = connection.database
      let count = try connection.write { () throws(SQLiteError) in
        let answers = AnswerTable(database: database)
        let texts = try TextTable(database: database).isThere ? TextTable(database: database) : nil
        var count = 0
        for address in addresses {
          let hadText = try texts?.delete(address) ?? false
          count += try answers.delete(address) || hadText ? 1 : 0
        }
        return count
      }
      // The log may still contain removed data.
      _ = try? database.checkpoint(truncating: true)
      return count
    }
  }

  /// Removes old answers; see ``AnswerStore/delete(olderThan:)``.
  @discardableResult
  public func delete(olderThan age: Duration) async -> Int? {
    commitPending()
    return keeper.perform(for: .writing) { connection throws(SQLiteError) in
      let database = connection.database
      let count = try connection.write { () throws(SQLiteError) in
        let texts = TextTable(database: database)
        let textCount = try texts.isThere ? texts.delete(olderThan: age, now: .now) : 0
        return try AnswerTable(database: database).delete(olderThan: age, now: .now) + textCount
      }
      guard count > 0 else { return count }
      // Pages may still have copies of rows that were moved to others, and the log has all of them;
      // while other processes use the file, this is done when the last one closes it.
      do throws(SQLiteError) {
        try database.execute("VACUUM")
        try database.checkpoint(truncating: true)
      } catch {
        guard error.kind == .busy else { throw error }
      }
      return count
    }
  }

  /// Removes all answers and frees their space; returns whether it succeeded.
  @discardableResult
  public func clear() async -> Bool {
    let isClear: Void? = keeper.perform(for: .writing) { connection throws(SQLiteError) in
      let database = connection.database
      try connection.write { () throws(SQLiteError) in
        try AnswerTable(database: database).clear()
        let texts = TextTable(database: database)
        if try texts.isThere { try texts.clear() }
      }
      try database.execute("VACUUM")
      try database.checkpoint(truncating: true)
    }
    return isClear != nil
  }
}

extension CachePage {
  init(
    _ answers: consuming StoredAnswers,
    _ scopes: [(number: Int64, scope: AnswerScope)],
    next: CacheCursor?
  ) {
    let names = Dictionary(scopes.map { ($0.number, $0.scope) }) { first, _ in first }
    answers.removeAll { names[$0.scope] == nil }
    let (block, items) = answers.decoded()
    self.block = block
    self.scopes = items.compactMap { names[$0.scope] }
    rows = items.map(\.position)
    self.next = next
  }
}
