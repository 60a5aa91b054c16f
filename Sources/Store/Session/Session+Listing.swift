import Addresses

extension Session {
  /// Reads answers in the order in which they came, within a transaction.
  ///
  /// - Parameters:
  ///   - cursor: Where to begin.
  ///   - limit: How many to read at most. Fewer may be returned: superseded ones are left out.
  /// - Returns: The answers, and where to go on; `nil` at the end.
  /// - Throws: ``StoreError``.
  func list(
    from cursor: CacheCursor,
    limit: Int
  ) throws(StoreError) -> (answers: RawAnswers, next: CacheCursor?) {
    var found = RawAnswers()
    var places: [Place] = []
    var next = cursor
    while places.count < limit, let chunk = try chunk(from: next.chunk) {
      let first = chunk.id == next.chunk ? next.position : 0
      let last = min(chunk.addresses.count, first + limit - places.count)
      for position in first..<max(first, last) {
        guard let range = chunk.answers[position] else { continue }
        let start = found.bytes.count
        found.bytes += chunk.bytes[range]
        found.items.append(
          RawAnswers.Item(
            position: places.count,
            address: chunk.addresses[position],
            range: start..<found.bytes.count,
            given: chunk.given.seconds,
            scope: chunk.scope
          )
        )
        places.append(Place(chunk: chunk.id, position: position))
      }
      next =
        last < chunk.addresses.count
        ? CacheCursor(file: identity, chunk: chunk.id, position: last)
        : CacheCursor(file: identity, chunk: chunk.id + 1, position: 0)
    }
    let isEnd = next.position == 0 ? try chunk(from: next.chunk) == nil : false
    let known = try locate(found.items.map { $0.address.key(inScope: $0.scope) })
    found.items.removeAll { known[$0.position] != places[$0.position] }
    return (found, isEnd ? nil : next)
  }

  /// Counts what there is, within a transaction.
  func statistics() throws(StoreError) -> CacheStatistics {
    var statistics = CacheStatistics()
    statistics.answers = try countPlaces()
    statistics.bytes = file.size
    statistics.oldest = try database.number("SELECT given FROM answers ORDER BY id LIMIT 1")
    statistics.newest = try database.number("SELECT given FROM answers ORDER BY id DESC LIMIT 1")
    return statistics
  }
}
