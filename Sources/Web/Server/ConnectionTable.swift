/// Which connections are open, oldest first.
struct ConnectionTable {
  private var connections: [UInt64: Connection] = [:]
  /// Those that may have to go, and others that have gone.
  private var candidates: [UInt64] = []
  private var firstCandidate = 0

  /// All that are open.
  var all: Dictionary<UInt64, Connection>.Values { connections.values }

  /// Adds a new one.
  ///
  /// - Returns: The one to close where there are now too many: the oldest that has had no session,
  ///   which may be the new one.
  mutating func add(_ connection: Connection, limit: Int) -> Connection? {
    connections[connection.id] = connection
    candidates.append(connection.id)
    forgetGone()
    guard connections.count > limit else { return nil }
    while firstCandidate < candidates.count {
      let candidate = connections[candidates[firstCandidate]]
      firstCandidate += 1
      if let candidate, !candidate.hasSession { return candidate }
    }
    return nil
  }

  /// Takes one out that has been closed.
  mutating func remove(_ id: UInt64) { connections[id] = nil }

  /// Keeps the candidates few, each looked at a constant number of times.
  private mutating func forgetGone() {
    guard candidates.count > 2 * connections.count + 64 else { return }
    candidates = candidates[firstCandidate...].filter { connections[$0] != nil }
    firstCandidate = 0
  }
}
