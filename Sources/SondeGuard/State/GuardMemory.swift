import SondeSQLite

/// What is remembered of keys and values: those in use in memory, all in the state.
struct GuardMemory {
  /// The number of keys that stay in memory.
  static let mostCached = 20_000

  private var keys: [[UInt8]: KeyMemory] = [:]
  private var values: [[UInt8]: ValueMemory?] = [:]
  private var changedKeys: Set<[UInt8]> = []
  private var changedValues: Set<[UInt8]> = []
  /// The number of keys, values and times in the state; `nil` until it is known.
  private var size: Int?
  private var clock: Int64?
  /// The largest number of keys, values and times.
  private let most: Int

  init(atMost most: Int) { self.most = most }

  /// What is remembered of a key, and of one of its values.
  mutating func recall(
    _ key: [UInt8],
    _ value: [UInt8]?,
    in state: GuardState
  ) throws(SQLiteError) -> (KeyMemory, ValueMemory?) {
    if keys[key] == nil {
      keys[key] =
        try state.database.rows("SELECT memory FROM keys WHERE key = ?", [.bytes(key)]) { row in
          KeyMemory(stored: row.withBytes(0) { bytes in bytes.indices.map { bytes[$0] } })
        }.first ?? KeyMemory()
    }
    if let value, values[value] == nil {
      let known = try state.database.rows(
        "SELECT seen, alert FROM key_values WHERE name = ?",
        [.bytes(value)]
      ) { row in
        var memory = ValueMemory(seen: row.number(0))
        memory.lastAlert = row.optionalNumber(1)
        return memory
      }.first
      values.updateValue(known, forKey: value)
    }
    return (keys[key] ?? KeyMemory(), value.flatMap { values[$0] ?? nil })
  }

  mutating func keep(_ key: [UInt8], _ memory: KeyMemory, _ value: [UInt8]?, _ seen: ValueMemory?) {
    keys[key] = memory
    changedKeys.insert(key)
    guard let value else { return }
    values.updateValue(seen, forKey: value)
    changedValues.insert(value)
  }

  /// Writes what has changed; returns whether the least recently hit were forgotten.
  mutating func write(to state: GuardState) throws(SQLiteError) -> Bool {
    let database = state.database
    if clock == nil { try measure(database) }
    var (used, total) = (clock ?? 0, size ?? 0)
    for key in changedKeys {
      guard let memory = keys[key] else { continue }
      used += 1
      let known =
        try database.rows("SELECT size FROM keys WHERE key = ?", [.bytes(key)]) {
          Int($0.number(0))
        }.first ?? 0
      try database.run(
        "INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)",
        [.bytes(key), .bytes(memory.stored), .number(Int64(memory.size)), .number(used)]
      )
      total += memory.size - known
    }
    for name in changedValues {
      guard let memory = values[name] ?? nil else { continue }
      used += 1
      let isKnown = try !database.rows(
        "SELECT 1 FROM key_values WHERE name = ?",
        [.bytes(name)]
      ) { $0.number(0) }.isEmpty
      try database.run(
        "INSERT OR REPLACE INTO key_values VALUES (?, ?, ?, ?)",
        [.bytes(name), .number(memory.seen), .number(memory.lastAlert), .number(used)]
      )
      total += isKnown ? 0 : 1
    }
    (changedKeys, changedValues, clock) = ([], [], used)
    let isFull = total > most
    if isFull { total = try forget(total, in: state) }
    size = total
    if isFull || keys.count + values.count > Self.mostCached { (keys, values) = ([:], [:]) }
    return isFull
  }

  private mutating func measure(_ database: Database) throws(SQLiteError) {
    let last = try database.number(
      "SELECT max(used) FROM (SELECT used FROM keys UNION ALL SELECT used FROM key_values)"
    )
    let sum = try database.number(
      "SELECT (SELECT coalesce(sum(size), 0) FROM keys) + (SELECT count(*) FROM key_values)"
    )
    (clock, size) = (last ?? 0, Int(sum ?? 0))
  }

  /// Forgets the least recently hit keys and values, a twentieth of all; returns what is left.
  private func forget(_ total: Int, in state: GuardState) throws(SQLiteError) -> Int {
    var left = total
    while left > most - most / 20 {
      let oldest = try state.database.rows(
        """
        SELECT used, size FROM (
          SELECT used, size FROM keys UNION ALL SELECT used, 1 FROM key_values
        ) ORDER BY used LIMIT 1000
        """
      ) { ($0.number(0), Int($0.number(1))) }
      guard !oldest.isEmpty else { return left }
      var last: Int64 = 0
      for (used, size) in oldest where left > most - most / 20 {
        (last, left) = (used, left - size)
      }
      try state.database.run("DELETE FROM keys WHERE used <= ?", [.number(last)])
      try state.database.run("DELETE FROM key_values WHERE used <= ?", [.number(last)])
    }
    return left
  }

  /// Forgets what was not written.
  mutating func discard() { self = GuardMemory(atMost: most) }
}
