/// Who is at work and who waits for a turn, first come first served: a pure value.
struct WorkQueue: Sendable, Equatable {
  /// The most that are at work at once.
  let places: Int

  private(set) var atWork: Set<String> = []
  private(set) var waiting: [String] = []

  init(places: Int) { self.places = places }

  /// Begins to wait.
  mutating func enter(_ id: String) { if !waiting.contains(id) { waiting.append(id) } }

  /// Ends waiting, or the work.
  mutating func leave(_ id: String) {
    atWork.remove(id)
    waiting.removeAll { $0 == id }
  }

  /// The one whose turn has come, and who is at work then.
  ///
  /// - Returns: `nil` where there is no place, or nobody waits.
  mutating func next() -> String? {
    guard atWork.count < places, let index = waiting.firstIndex(where: { !atWork.contains($0) })
    else { return nil }
    let id = waiting.remove(at: index)
    atWork.insert(id)
    return id
  }
}
