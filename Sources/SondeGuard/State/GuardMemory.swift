import SondeSQLite

/// A cache of keys and values over the state, which has all of them, or, without a file, those that
/// did not fit in memory.
struct GuardMemory {
  /// The number of keys and values that stay in memory.
  static let mostCached = 100_000

  /// What is remembered of a key or a value.
  private struct Entry<Content> {
    /// The name in the state.
    let name: [UInt8]
    var content: Content
    /// The number of keys, values and times that it counts as.
    var size: Int
    /// The number of hits before its last one.
    var used: Int64 = 0
    var isChanged = false
  }

  private var keyNumbers: [[UInt8]: Int] = [:]
  private var keys: [Entry<KeyMemory>] = []
  private var changedKeys: [Int] = []
  private var valueNumbers: [[UInt8]: Int] = [:]
  private var values: [Entry<ValueMemory?>] = []
  private var changedValues: [Int] = []
  /// The number of keys, values and times in memory and in the state.
  private var total = 0
  /// The number of hits; `nil` until it is read from the state.
  private var clock: Int64?
  private var isStateEmpty = true
  /// The largest number of keys, values and times.
  private let most: Int

  init(atMost most: Int) { self.most = most }

  /// Whether nothing is in memory, so that numbers of keys and values no longer hold.
  var isEmpty: Bool { keys.isEmpty && values.isEmpty }

  /// The number of a key, until something is forgotten.
  mutating func number(ofKey name: [UInt8], in state: GuardState) throws(SQLiteError) -> Int {
    if let number = keyNumbers[name] { return number }
    if clock == nil { try measure(state.database) }
    let known = isStateEmpty ? nil : try state.memory(ofKey: name)
    keyNumbers[name] = keys.count
    keys.append(Entry(name: name, content: known ?? KeyMemory(), size: known?.size ?? 0))
    return keys.count - 1
  }

  /// The number of a value, until something is forgotten.
  mutating func number(ofValue name: [UInt8], in state: GuardState) throws(SQLiteError) -> Int {
    if let number = valueNumbers[name] { return number }
    if clock == nil { try measure(state.database) }
    let known = isStateEmpty ? nil : try state.memory(ofValue: name)
    valueNumbers[name] = values.count
    values.append(Entry(name: name, content: known, size: known == nil ? 0 : 1))
    return values.count - 1
  }

  /// Changes what is remembered of a key, and of one of its values.
  mutating func change<Result>(
    key: Int,
    value: Int?,
    _ body: (inout KeyMemory, inout ValueMemory?) -> Result
  ) -> Result {
    guard let value else {
      var none: ValueMemory?
      let result = body(&keys[key].content, &none)
      note(key)
      return result
    }
    let result = body(&keys[key].content, &values[value].content)
    note(key)
    note(value: value)
    return result
  }

  private mutating func note(_ key: Int) {
    let size = keys[key].content.size
    total += size - keys[key].size
    keys[key].size = size
    keys[key].used = tick()
    guard !keys[key].isChanged else { return }
    keys[key].isChanged = true
    changedKeys.append(key)
  }

  private mutating func note(value: Int) {
    guard values[value].content != nil else { return }
    total += 1 - values[value].size
    values[value].size = 1
    values[value].used = tick()
    guard !values[value].isChanged else { return }
    values[value].isChanged = true
    changedValues.append(value)
  }

  private mutating func tick() -> Int64 {
    let time = (clock ?? 0) + 1
    clock = time
    return time
  }

  /// Writes what has changed, if it is to be kept or there are too many for the memory; returns whether
  /// the least recently hit were forgotten.
  mutating func write(to state: GuardState) throws(SQLiteError) -> Bool {
    let isFull = total > most
    let isCrowded = keys.count + values.count > Self.mostCached
    guard state.isKept || isFull || isCrowded else { return false }
    for key in changedKeys {
      try state.save(keys[key].content, ofKey: keys[key].name, usedAt: keys[key].used)
      keys[key].isChanged = false
    }
    for value in changedValues {
      guard let memory = values[value].content else { continue }
      try state.save(memory, ofValue: values[value].name, usedAt: values[value].used)
      values[value].isChanged = false
    }
    isStateEmpty = isStateEmpty && changedKeys.isEmpty && changedValues.isEmpty
    (changedKeys, changedValues) = ([], [])
    if isFull { total = try forget(total, in: state) }
    if isFull || isCrowded {
      (keyNumbers, keys, valueNumbers, values) = ([:], [], [:], [])
    }
    return isFull
  }

  /// Forgets the least recently hit keys and values, a twentieth of all; returns what is left.
  ///
  /// Each table is read by its index, never as a whole: there may be a million of them.
  private func forget(_ total: Int, in state: GuardState) throws(SQLiteError) -> Int {
    var left = total
    while left > most - most / 20 {
      let oldest = try state.database.rows(
        """
        SELECT used, size FROM (SELECT used, size FROM keys ORDER BY used LIMIT 1000)
        UNION ALL
        SELECT used, 1 FROM (SELECT used FROM key_values ORDER BY used LIMIT 1000)
        ORDER BY used LIMIT 1000
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

  private mutating func measure(_ database: Database) throws(SQLiteError) {
    let last = try database.number(
      "SELECT max(used) FROM (SELECT used FROM keys UNION ALL SELECT used FROM key_values)"
    )
    let sum = try database.number(
      "SELECT (SELECT coalesce(sum(size), 0) FROM keys) + (SELECT count(*) FROM key_values)"
    )
    (clock, total, isStateEmpty) = (last ?? 0, Int(sum ?? 0), last == nil)
  }

  /// Forgets what was not written.
  mutating func discard() { self = GuardMemory(atMost: most) }
}

extension GuardState {
  /// What is kept of a key; `nil` if it is not known.
  fileprivate func memory(ofKey name: [UInt8]) throws(SQLiteError) -> KeyMemory? {
    try database.rows("SELECT memory FROM keys WHERE key = ?", [.bytes(name)]) { row in
      KeyMemory(stored: row.withBytes(0) { bytes in bytes.indices.map { bytes[$0] } })
    }.first
  }

  /// What is kept of a value; `nil` if it is not known.
  fileprivate func memory(ofValue name: [UInt8]) throws(SQLiteError) -> ValueMemory? {
    try database.rows(
      "SELECT seen, alert FROM key_values WHERE name = ?",
      [.bytes(name)]
    ) { row in
      var memory = ValueMemory(seen: row.number(0))
      memory.lastAlert = row.optionalNumber(1)
      return memory
    }.first
  }

  fileprivate func save(
    _ memory: KeyMemory,
    ofKey name: [UInt8],
    usedAt time: Int64
  ) throws(SQLiteError) {
    try database.run(
      "INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)",
      [.bytes(name), .bytes(memory.stored), .number(Int64(memory.size)), .number(time)]
    )
  }

  fileprivate func save(
    _ memory: ValueMemory,
    ofValue name: [UInt8],
    usedAt time: Int64
  ) throws(SQLiteError) {
    try database.run(
      "INSERT OR REPLACE INTO key_values VALUES (?, ?, ?, ?)",
      [.bytes(name), .number(memory.seen), .number(memory.lastAlert), .number(time)]
    )
  }
}
