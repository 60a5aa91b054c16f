import Addresses
import System

extension Session {
  /// Removes what is too much and merges what is new, in a transaction of its own.
  func maintain() throws(StoreError) {
    isTrimmed = true
    try write { () throws(StoreError) in
      try trim(now: .now)
      if tailCount >= limits.tail / 4 { try merge() }
    }
  }

  /// Whether there is something to be done for ``maintain()``.
  var needsMaintenance: Bool {
    get throws(StoreError) {
      guard isWritable, !isTrimmed else { return needsMerge }
      isTrimmed = true
      return needsMerge ? true : try needsTrimming(now: .now)
    }
  }

  /// Whether answers are to go because they are too old or too many.
  func needsTrimming(now: Moment) throws(StoreError) -> Bool {
    if try excess() > 0 { return true }
    guard let oldest = try database.number("SELECT given FROM answers ORDER BY id LIMIT 1") else {
      return false
    }
    return isOld(oldest, now)
  }

  /// Removes the oldest answers, some at a time, within a transaction.
  ///
  /// Their places stay in the index, where they lead nowhere, until it is merged.
  func trim(now: Moment) throws(StoreError) {
    let excess = try min(excess(), limits.trimming)
    let oldest = try firstChunk()
    var last = oldest + excess - 1
    let statement = try database.statement("SELECT id, given FROM answers ORDER BY id LIMIT ?1")
    statement.bind(1, limits.trimming)
    defer { statement.reset() }
    while try statement.step(), isOld(statement.number(1), now) {
      last = max(last, statement.number(0))
    }
    statement.reset()
    guard last >= oldest else { return }
    let deletion = try database.statement("DELETE FROM answers WHERE id <= ?1")
    deletion.bind(1, min(last, lastChunk))
    try deletion.run()
    // Free pages are used again; a file that is mostly free shrinks.
    let pages = try database.number("PRAGMA page_count") ?? 0
    let free = try database.number("PRAGMA freelist_count") ?? 0
    if free > pages / 2 { try database.execute("PRAGMA incremental_vacuum(\(limits.trimming))") }
  }

  /// What came before a clock was set back stays: its age cannot be told.
  private func isOld(_ given: Int64, _ now: Moment) -> Bool {
    let age = Moment(seconds: now.seconds, uptime: 0, boot: 0)
      .age(of: Moment(seconds: given, uptime: 0, boot: 0))
    return age.map { $0 >= limits.age } ?? false
  }

  /// The pages in use above the limit.
  private func excess() throws(StoreError) -> Int64 {
    let pages = try database.number("PRAGMA page_count") ?? 0
    let free = try database.number("PRAGMA freelist_count") ?? 0
    return max(0, pages - free - Int64(limits.bytes / 4096))
  }

  /// Removes every answer of some addresses, superseded ones too, within a transaction.
  ///
  /// - Returns: How many of the addresses had one.
  func delete(_ addresses: [Address]) throws(StoreError) -> Int {
    let wanted = Set(addresses)
    var (found, keys) = (Set<Address>(), Set<Int64>())
    var next: Int64 = 0
    while let chunk = try self.chunk(from: next) {
      next = chunk.id + 1
      let positions = chunk.addresses.indices.filter {
        wanted.contains(chunk.addresses[$0]) && chunk.answers[$0] != nil
      }
      guard !positions.isEmpty else { continue }
      for position in positions {
        found.insert(chunk.addresses[position])
        keys.insert(chunk.addresses[position].key(inScope: chunk.scope))
      }
      try rewrite(chunk, without: Set(positions))
    }
    if !found.isEmpty { try merge(isWhole: true, dropping: keys) }
    return found.count
  }

  /// Removes all answers, within a transaction; numbers are not used again.
  func clear() throws(StoreError) {
    let id = (runs.first?.id ?? 0) + 1
    for table in ["answers", "places", "runs", "scopes"] {
      try database.execute("DELETE FROM \(table)")
    }
    let run = Run(id: id, newest: lastChunk, first: 1, count: 0, fences: [])
    let statement = try database.statement("INSERT INTO runs VALUES (?1, ?2, 1, 0, x'', ?3)")
    statement.bind(1, run.id)
    statement.bind(2, run.newest)
    statement.bind(3, run.checksum)
    try statement.run()
    // What this process knows is learnt anew.
    runs = []
    rows.keep([])
    (scopes, lastKnown) = ([:], lastChunk)
  }

  private func rewrite(_ chunk: StoredChunk, without positions: Set<Int>) throws(StoreError) {
    guard positions.count < chunk.addresses.count else {
      let statement = try database.statement("DELETE FROM answers WHERE id = ?1")
      statement.bind(1, chunk.id)
      return try statement.run()
    }
    let bytes = chunk.bytes(without: positions)
    var hash = Checksum()
    hash.update(bytes.span)
    let count = Int64(chunk.addresses.count)
    hash.update(id: chunk.id, chunk.scope, chunk.given, count: count)
    let statement = try database.statement(
      "UPDATE answers SET entries = ?2, checksum = ?3 WHERE id = ?1"
    )
    statement.bind(1, chunk.id)
    statement.bind(3, Int64(bitPattern: hash.value))
    try statement.run(2, bytes.span)
  }
}
