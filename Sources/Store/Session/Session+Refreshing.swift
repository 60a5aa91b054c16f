import Addresses

extension Session {
  /// Learns what other processes have done since.
  func refresh() throws(StoreError) {
    try refreshRuns()
    lastChunk = try max(database.number("SELECT max(id) FROM answers") ?? 0, indexedUntil)
    guard 0...Place.lastChunk ~= lastChunk else {
      throw StoreError(.damaged, "\(lastChunk) is no number of an answer")
    }
    if lastChunk > lastKnown { try loadTail() }
  }

  /// The last chunk that the index knows of.
  var indexedUntil: Int64 { runs.first?.newest ?? 0 }

  private func refreshRuns() throws(StoreError) {
    let statement = try database.statement("SELECT id FROM runs ORDER BY id DESC")
    defer { statement.reset() }
    var isSame = true
    var count = 0
    while try statement.step() {
      isSame = isSame && count < runs.count && statement.number(0) == runs[count].id
      count += 1
    }
    guard !isSame || count != runs.count else { return }
    let known = Set(runs.map(\.id))
    runs = try loadRuns()
    rows.keep(runs.filter { known.contains($0.id) })
    scopes = [:]
    tail.removeAll()
    tailCount = 0
    lastKnown = indexedUntil
  }

  private func loadRuns() throws(StoreError) -> [Run] {
    let statement = try database.statement(
      "SELECT id, newest, first, count, fences, checksum FROM runs ORDER BY id DESC"
    )
    defer { statement.reset() }
    var runs: [Run] = []
    while try statement.step() {
      let fences = statement.withBytes(4) { bytes in
        var fences: [Int64] = []
        for index in 0..<bytes.count / 8 { fences.append(bytes.number(at: 8 * index)) }
        return fences
      }
      let run = Run(
        id: statement.number(0),
        newest: statement.number(1),
        first: statement.number(2),
        count: statement.number(3),
        fences: fences
      )
      guard statement.optionalNumber(5) == run.checksum else {
        throw StoreError(.damaged, "a run of the index is damaged")
      }
      runs.append(run)
    }
    return runs
  }

  private func loadTail() throws(StoreError) {
    let statement = try database.statement(
      "SELECT id, scope, count, entries FROM answers WHERE id > ?1 ORDER BY id"
    )
    statement.bind(1, lastKnown)
    // A chunk holds some twenty answers.
    tail.reserve(min(Int(lastChunk - lastKnown), limits.tail / 20) * 20)
    defer { statement.reset() }
    while try statement.step() {
      let (chunk, scope) = (statement.number(0), statement.number(1))
      guard lastKnown < chunk, chunk <= lastChunk else {
        throw StoreError(.damaged, "answers are out of order")
      }
      lastKnown = chunk
      let count = statement.number(2)
      guard 0...Address.lastScope ~= scope else { continue }
      tailCount += statement.withBytes(3) { bytes in
        guard let layout = ChunkLayout(bytes, count: count) else { return 0 }
        for position in 0..<layout.count {
          let key = layout.address(at: position, in: bytes).key(inScope: scope)
          tail.insert(key, Place(chunk: chunk, position: position))
        }
        return layout.count
      }
    }
    lastKnown = lastChunk
  }

  /// The first chunk that there is, or would be.
  func firstChunk() throws(StoreError) -> Int64 {
    let first = try database.number("SELECT min(id) FROM answers") ?? lastChunk + 1
    guard 0...lastChunk + 1 ~= first else {
      throw StoreError(.damaged, "answers are out of order")
    }
    return first
  }
}
