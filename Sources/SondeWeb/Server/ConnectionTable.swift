/// The open connections.
struct ConnectionTable {
  /// The oldest first: IDs rise.
  private(set) var all: [Connection] = []

  /// Adds a new connection, and returns the one to close if there are too many.
  ///
  /// That is the oldest without a session, which may be the new one.
  mutating func add(_ connection: Connection, limit: Int) -> Connection? {
    all.append(connection)
    guard all.count > limit, let oldest = all.first(where: \.isNobodys) else { return nil }
    oldest.leave()
    return oldest
  }

  mutating func remove(_ id: UInt64) {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    if low < all.count, all[low].id == id { all.remove(at: low) }
  }
}
