import Addresses
import System

extension Session {
  /// Adds answers, within a transaction.
  func append(_ chunks: [Chunk], in scope: AnswerScope, now: Moment) throws(StoreError) {
    guard !chunks.isEmpty else { return }
    let scope = try makeNumber(of: scope)
    let statement = try database.statement(
      "INSERT INTO answers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    )
    for chunk in chunks {
      let id = lastChunk + 1
      let given = Moment(seconds: chunk.given, uptime: now.uptime, boot: now.boot)
      let count = Int64(chunk.addresses.count)
      var hash = chunk.hash
      hash.update(id: id, scope, given, count: count)
      let numbers = [id, scope, given.seconds, given.uptime, given.boot, count]
      for (index, number) in numbers.enumerated() { statement.bind(Int32(index + 1), number) }
      statement.bind(8, Int64(bitPattern: hash.value))
      try statement.run(7, chunk.bytes.span)
      lastChunk = id
      for (position, address) in chunk.addresses.enumerated() {
        added.append((address.key(inScope: scope), Place(chunk: id, position: position)))
      }
    }
  }

  // MARK: Scopes

  /// The number of a scope, within a transaction; `nil` where nothing was ever saved in it.
  func number(of scope: AnswerScope) throws(StoreError) -> Int64? {
    if let number = scopes[scope] { return number }
    for (number, known) in try allScopes() { scopes[known] = number }
    return scopes[scope]
  }

  /// All scopes by number, within a transaction; damaged ones are left out.
  func allScopes() throws(StoreError) -> [(number: Int64, scope: AnswerScope)] {
    let statement = try database.statement(
      """
      SELECT id, provider, endpoint, account, language, fields, checksum FROM scopes ORDER BY id DESC
      """
    )
    defer { statement.reset() }
    var all: [(number: Int64, scope: AnswerScope)] = []
    while try statement.step() {
      let number = statement.number(0)
      let scope = AnswerScope(
        provider: statement.text(1),
        endpoint: statement.text(2),
        account: statement.text(3),
        language: statement.text(4),
        fields: statement.text(5)
      )
      guard statement.optionalNumber(6) == scope.checksum(number) else { continue }
      all.append((number, scope))
    }
    return all
  }

  private func makeNumber(of scope: AnswerScope) throws(StoreError) -> Int64 {
    if let number = try number(of: scope) { return number }
    let number = (try database.number("SELECT max(id) FROM scopes") ?? 0) + 1
    guard 1...Address.lastScope ~= number else {
      throw StoreError(.damaged, "\(number) is no number of a scope")
    }
    let statement = try database.statement("INSERT INTO scopes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    statement.bind(1, number)
    for (index, text) in scope.texts.enumerated() { statement.bind(Int32(index + 2), text) }
    statement.bind(7, scope.checksum(number))
    try statement.run()
    scopes[scope] = number
    return number
  }

  // MARK: Ledger

  /// The bytes of a row of the ledger, within a transaction; none where it is absent or damaged.
  func ledgerRow(_ key: String) throws(StoreError) -> [UInt8] {
    let statement = try database.statement("SELECT state, checksum FROM ledger WHERE key = ?1")
    statement.bind(1, key)
    defer { statement.reset() }
    guard try statement.step() else { return [] }
    let bytes = statement.withBytes(0) { bytes in [UInt8](copying: bytes) }
    return statement.optionalNumber(1) == Self.checksum(key, bytes) ? bytes : []
  }

  /// Writes a row of the ledger, within a transaction; no bytes remove it.
  func writeLedgerRow(_ key: String, _ bytes: [UInt8]) throws(StoreError) {
    guard !bytes.isEmpty else {
      let statement = try database.statement("DELETE FROM ledger WHERE key = ?1")
      statement.bind(1, key)
      return try statement.run()
    }
    let statement = try database.statement("INSERT OR REPLACE INTO ledger VALUES (?1, ?2, ?3)")
    statement.bind(1, key)
    statement.bind(3, Self.checksum(key, bytes))
    try statement.run(2, bytes.span)
  }

  private static func checksum(_ key: String, _ bytes: [UInt8]) -> Int64 {
    var hash = Checksum()
    hash.update(bytes.span)
    hash.update(word: UInt64(bytes.count))
    hash.update(Array(key.utf8).span)
    return Int64(bitPattern: hash.value)
  }
}

extension AnswerScope {
  fileprivate var texts: [String] { [provider, endpoint, account, language, fields] }

  fileprivate func checksum(_ number: Int64) -> Int64 {
    var hash = Checksum()
    hash.update(word: UInt64(bitPattern: number))
    for text in texts {
      hash.update(word: UInt64(text.utf8.count))
      hash.update(Array(text.utf8).span)
    }
    return Int64(bitPattern: hash.value)
  }
}
