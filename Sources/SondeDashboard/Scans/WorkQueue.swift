/// The running scans and those that wait for their turn, first come, first served: a pure value.
struct WorkQueue: Sendable, Equatable {
  /// The maximum number of running scans.
  let places: Int

  private(set) var atWork: Set<String> = []
  private(set) var waiting: [String] = []

  mutating func enter(_ id: String) { if !waiting.contains(id) { waiting.append(id) } }

  mutating func leave(_ id: String) {
    atWork.remove(id)
    waiting.removeAll { $0 == id }
  }

  /// Starts the next scan and returns it; `nil` if no place is free or none waits.
  mutating func next() -> String? {
    guard atWork.count < places, let index = waiting.firstIndex(where: { !atWork.contains($0) })
    else { return nil }
    let id = waiting.remove(at: index)
    atWork.insert(id)
    return id
  }
}
