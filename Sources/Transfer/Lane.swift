/// The exchanges with one endpoint: how many are under way, and who waits, first come first served.
struct Lane<Element> {
  private var underWay = 0
  private var waiting: [Element?] = []
  private var head = 0

  /// Whether nothing is under way and nobody waits.
  var isIdle: Bool { underWay == 0 && head == waiting.count }

  /// Puts one at the end of the queue.
  mutating func append(_ element: Element) { waiting.append(element) }

  /// The first that waits, now counted as under way, unless `limit` are under way already.
  mutating func next(limit: Int) -> Element? {
    guard underWay < limit, head < waiting.count, let element = waiting[head] else { return nil }
    waiting[head] = nil
    head += 1
    underWay += 1
    // Each element is moved at most once on average.
    if head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Counts one that was under way as done.
  mutating func finish() { underWay -= 1 }

  /// Takes out all who wait.
  mutating func removeWaiting() -> [Element] {
    defer { (waiting, head) = ([], 0) }
    return waiting.compactMap { $0 }
  }
}
