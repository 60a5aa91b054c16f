extension Session {
  /// Whether so many answers are in no run that it is time to merge.
  var needsMerge: Bool { isWritable && tailCount >= limits.tail }

  /// Turns the tail into a run, together with those runs that are not much longer, within a
  /// transaction.
  ///
  /// So there are few runs, and a place is written again only when as many others have come.
  /// - Parameters:
  ///   - isWhole: Whether to merge all runs.
  ///   - dropped: Keys to leave out.
  /// - Throws: ``StoreError``.
  func merge(isWhole: Bool = false, dropping dropped: Set<Int64> = []) throws(StoreError) {
    let oldest = try firstChunk()
    let tail = tail.sorted()
    var (count, merged) = (Int64(tail.count), 0)
    while merged < runs.count, isWhole || runs[merged].count < 4 * count {
      count += runs[merged].count
      merged += 1
    }
    var sources = [MergeSource(entries: tail)]
    for run in runs[..<merged] { sources.append(MergeSource(rows: run.rows)) }
    var writer = try RunWriter(database, id: (runs.first?.id ?? 0) + 1, newest: lastChunk)
    while let (key, place) = try nextEntry(&sources) {
      if place.chunk >= oldest, !dropped.contains(key) { try writer.append(key, place) }
    }
    try writer.finish()
    for run in runs[..<merged] { try remove(run) }
    rows.keep(runs[merged...])
    runs.replaceSubrange(..<merged, with: [writer.run])
    self.tail.removeAll()
    tailCount = 0
    lastKnown = lastChunk
  }

  private func remove(_ run: Run) throws(StoreError) {
    let places = try database.statement("DELETE FROM places WHERE id >= ?1 AND id < ?2")
    places.bind(1, run.rows.lowerBound)
    places.bind(2, run.rows.upperBound)
    try places.run()
    let runs = try database.statement("DELETE FROM runs WHERE id = ?1")
    runs.bind(1, run.id)
    try runs.run()
  }

  /// Takes the lowest key of all sources, with its place in the newest.
  private func nextEntry(
    _ sources: inout [MergeSource]
  ) throws(StoreError) -> (key: Int64, place: Place)? {
    var lowest: (key: Int64, place: Place)?
    for index in sources.indices {
      guard let entry = try sources[index].first(in: database) else { continue }
      if let known = lowest, known.key <= entry.key { continue }
      lowest = entry
    }
    guard let lowest else { return nil }
    for index in sources.indices { sources[index].drop(lowest.key) }
    return lowest
  }

  /// Counts the places of the index, each key once, without those that lead nowhere, within a
  /// transaction.
  func countPlaces() throws(StoreError) -> Int {
    let oldest = try firstChunk()
    var sources = [MergeSource(entries: tail.sorted())]
    for run in runs { sources.append(MergeSource(rows: run.rows)) }
    var count = 0
    while let entry = try nextEntry(&sources) {
      if entry.place.chunk >= oldest { count += 1 }
    }
    return count
  }
}

/// Entries sorted by key that are to be merged with others.
private struct MergeSource {
  private var entries: [(key: Int64, place: Place)]
  private var index = 0
  private var rows: Range<Int64>

  init(entries: [(key: Int64, place: Place)]) {
    self.entries = entries
    rows = 0..<0
  }

  init(rows: Range<Int64>) {
    entries = []
    self.rows = rows
  }

  /// The lowest entry that is left; damaged rows are gone past.
  mutating func first(in database: Database) throws(StoreError) -> (key: Int64, place: Place)? {
    while index == entries.count {
      guard let row = rows.first else { return nil }
      rows = row + 1..<rows.upperBound
      try load(row, of: database)
    }
    return entries[index]
  }

  /// Goes past a key if it is the lowest.
  mutating func drop(_ key: Int64) {
    if index < entries.count, entries[index].key == key { index += 1 }
  }

  private mutating func load(_ row: Int64, of database: Database) throws(StoreError) {
    let statement = try database.statement("SELECT entries, checksum FROM places WHERE id = ?1")
    statement.bind(1, row)
    defer { statement.reset() }
    let last = entries.last?.key ?? .min
    entries.removeAll(keepingCapacity: true)
    index = 0
    guard try statement.step() else { return }
    let checksum = statement.optionalNumber(1)
    statement.withBytes(0) { bytes in
      guard checksum == RunRow.checksum(row, bytes) else { return }
      for index in 0..<RunRow.count(bytes) {
        entries.append((RunRow.key(bytes, at: index), RunRow.place(bytes, at: index)))
      }
    }
    // Entries out of order would be found by nobody.
    entries.removeAll { $0.key < last }
  }
}

/// Writes the rows of a new run.
private struct RunWriter {
  private(set) var run: Run
  private let database: Database
  private var entries: [(key: Int64, place: Place)] = []

  init(_ database: Database, id: Int64, newest: Int64) throws(StoreError) {
    self.database = database
    let first = (try database.number("SELECT max(id) FROM places") ?? 0) + 1
    run = Run(id: id, newest: newest, first: first, count: 0, fences: [])
  }

  mutating func append(_ key: Int64, _ place: Place) throws(StoreError) {
    entries.append((key, place))
    if entries.count == Run.rowCount { try writeRow() }
  }

  mutating func finish() throws(StoreError) {
    if !entries.isEmpty { try writeRow() }
    var fences: [UInt8] = []
    for fence in run.fences { fences.append(number: fence) }
    let statement = try database.statement("INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    statement.bind(1, run.id)
    statement.bind(2, run.newest)
    statement.bind(3, run.first)
    statement.bind(4, run.count)
    statement.bind(6, run.checksum)
    try statement.run(5, fences.span)
  }

  private mutating func writeRow() throws(StoreError) {
    let id = run.rows.upperBound
    let bytes = RunRow.bytes(of: entries)
    let statement = try database.statement("INSERT INTO places VALUES (?1, ?2, ?3)")
    statement.bind(1, id)
    statement.bind(3, RunRow.checksum(id, bytes.span))
    try statement.run(2, bytes.span)
    run.fences.append(entries[0].key)
    run.count += Int64(entries.count)
    entries.removeAll(keepingCapacity: true)
  }
}
