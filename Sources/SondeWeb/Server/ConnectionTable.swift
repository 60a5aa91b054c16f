/// Which connections are open.
struct ConnectionTable {
  /// All that are open, the oldest first: ids rise.
  private(set) var all: [Connection] = []

  /// Adds a new one.
  ///
  /// - Returns: The one to close where there are now too many: the oldest that is nobody's, which may
  ///   be the new one.
  mutating func add(_ connection: Connection, limit: Int) -> Connection? {
    all.append(connection)
    guard all.count > limit, let oldest = all.first(where: \.isNobodys) else { return nil }
    oldest.leave()
    return oldest
  }

  /// Takes one out that has been closed.
  mutating func remove(_ id: UInt64) {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    if low < all.count, all[low].id == id { all.remove(at: low) }
  }
}
