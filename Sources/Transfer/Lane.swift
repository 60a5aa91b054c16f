/// The exchanges with one endpoint: how many are under way, and which wait, first come first served.
struct Lane<Element> {
  private var underWay = 0
  private var waiting: [Element?] = []
  private var head = 0

  /// Whether nothing is under way and nothing waits.
  var isIdle: Bool { underWay == 0 && head == waiting.count }

  /// Puts an exchange at the end of the queue.
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

  /// Counts an exchange that was under way as done.
  mutating func finish() { underWay -= 1 }

  /// Removes all that wait, and returns them.
  mutating func removeWaiting() -> [Element] {
    defer { (waiting, head) = ([], 0) }
    return waiting.compactMap { $0 }
  }
}
