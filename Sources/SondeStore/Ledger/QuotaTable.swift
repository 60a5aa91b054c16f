import SondeSQLite
import SondeSystem

/// The rows of quotas; all access must be within a transaction.
struct QuotaTable {
  let database: Database

  /// The state of an account's quota; empty if it is missing or damaged.
  func state(of account: [UInt8]) throws(SQLiteError) -> [UInt8] {
    let statement = try database.statement("SELECT state, checksum FROM quotas WHERE account = ?1")
    statement.bind(1, account)
    defer { statement.reset() }
    guard try statement.step() else { return [] }
    let bytes = statement.withBytes(0) { bytes in [UInt8](copying: bytes) }
    return statement.optionalNumber(1) == Self.checksum(account, bytes) ? bytes : []
  }

  /// The states of all quotas with undamaged rows.
  func states() throws(SQLiteError) -> [(account: [UInt8], state: [UInt8])] {
    let statement = try database.statement("SELECT account, state, checksum FROM quotas")
    defer { statement.reset() }
    var states: [(account: [UInt8], state: [UInt8])] = []
    while try statement.step() {
      let account = statement.withBytes(0) { bytes in [UInt8](copying: bytes) }
      let state = statement.withBytes(1) { bytes in [UInt8](copying: bytes) }
      guard statement.optionalNumber(2) == Self.checksum(account, state) else { continue }
      states.append((account, state))
    }
    return states
  }

  /// Writes the state of an account's quota; an empty one removes it.
  func write(_ bytes: [UInt8], of account: [UInt8]) throws(SQLiteError) {
    guard !bytes.isEmpty else {
      let statement = try database.statement("DELETE FROM quotas WHERE account = ?1")
      statement.bind(1, account)
      return try statement.run()
    }
    let statement = try database.statement("INSERT OR REPLACE INTO quotas VALUES (?1, ?2, ?3)")
    statement.bind(1, account)
    statement.bind(2, bytes)
    statement.bind(3, Self.checksum(account, bytes))
    try statement.run()
  }

  private static func checksum(_ account: [UInt8], _ bytes: [UInt8]) -> Int64 {
    var sum = Checksum()
    sum.update(bytes.span)
    sum.update(word: UInt64(bytes.count))
    sum.update(account.span)
    return Int64(bitPattern: sum.value)
  }
}
