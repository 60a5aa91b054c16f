/// The open connections, of which only so many may be open, in all and per user.
struct ConnectionTable {
  /// The oldest first: IDs rise.
  private(set) var all: [Connection] = []

  /// Adds a new connection, and returns the one to close if there are too many.
  ///
  /// That is the oldest without a session, else the oldest idle one of the user who has most, else
  /// the new one.
  mutating func add(_ connection: Connection, limit: Int) -> Connection? {
    defer { all.append(connection) }
    guard all.count >= limit else { return nil }
    let staying = all.filter { !$0.isLeaving }
    guard staying.count >= limit else { return nil }
    let closed = staying.first(where: \.isNobodys) ?? Self.oldestIdle(of: staying) ?? connection
    closed.leave()
    return closed
  }

  /// The oldest idle connection of the user who has most.
  private static func oldestIdle(of connections: [Connection]) -> Connection? {
    let users = connections.map(\.user)
    let counts = Dictionary(users.map { ($0, 1) }, uniquingKeysWith: +)
    let idle = connections.filter(\.isIdle)
    // Of equal ones, the one with the oldest.
    let most = idle.max { counts[$0.user] ?? 0 < counts[$1.user] ?? 0 }?.user
    return idle.first { $0.user == most }
  }

  /// Makes room for a connection that has become a user's, and returns the one to close if the
  /// user has too many: the oldest idle one.
  ///
  /// - Returns: Whether it may stay, and the connection to close.
  func makeRoom(for connection: Connection, limit: Int) -> (mayStay: Bool, closed: Connection?) {
    guard let user = connection.user else { return (true, nil) }
    let own = all.filter { $0.user == user && !$0.isLeaving }
    guard own.count > limit else { return (true, nil) }
    let closed = own.first { $0 !== connection && $0.isIdle }
    closed?.leave()
    return (closed != nil, closed)
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
