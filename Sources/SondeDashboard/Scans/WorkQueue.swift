/// The running scans and those that wait for their turn, first come, first served: a pure value.
///
/// A user's waiting scans do not delay those of others.
struct WorkQueue: Sendable, Equatable {
  /// The maximum number of running scans.
  struct Places: Sendable, Equatable {
    /// Of all users, not counting those that wait for the network or a quota.
    var all = 8
    /// Of one user.
    var ofUser = 2
    /// Of one user if at least one of them asks local databases alone.
    var ofUserWithLocal = 3
  }

  /// A scan in the queue.
  struct Scan: Sendable, Equatable {
    let id: String
    let user: String
    /// Whether it asks local databases alone.
    var isLocal = false
  }

  let places: Places

  private var working: [Scan] = []
  private var waiting: [Scan] = []

  init(places: Places = Places()) { self.places = places }

  var atWork: Set<String> { Set(working.map(\.id)) }

  mutating func enter(_ scan: Scan) {
    if !waiting.contains(where: { $0.id == scan.id }) { waiting.append(scan) }
  }

  mutating func leave(_ id: String) {
    working.removeAll { $0.id == id }
    waiting.removeAll { $0.id == id }
  }

  /// Starts the next scan and returns it; `nil` if no place is free for any that waits.
  ///
  /// `idle` are those at work that wait for the network or a quota.
  mutating func next(idle: Set<String> = []) -> String? {
    guard working.count(where: { !idle.contains($0.id) }) < places.all,
      let index = waiting.firstIndex(where: mayStart)
    else { return nil }
    let scan = waiting.remove(at: index)
    working.append(scan)
    return scan.id
  }

  private func mayStart(_ scan: Scan) -> Bool {
    let own = working.filter { $0.user == scan.user }
    // The earlier run of a scan may not have ended yet.
    guard !own.contains(where: { $0.id == scan.id }) else { return false }
    let hasLocal = (own + [scan]).contains(where: \.isLocal)
    return own.count < (hasLocal ? places.ofUserWithLocal : places.ofUser)
  }
}
