/// A first-in, first-out queue.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var first: Element? { head < elements.count ? elements[head] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1024, head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func removeAll() -> ArraySlice<Element> {
    defer { (elements, head) = ([], 0) }
    return elements[head...]
  }
}

/// Elements with reusable numbers.
struct Slots<Element> {
  private var elements: [Element?] = []
  private var free: [Int] = []

  mutating func insert(_ element: Element) -> Int {
    if let number = free.popLast() {
      elements[number] = element
      return number
    }
    elements.append(element)
    return elements.count - 1
  }

  mutating func remove(_ number: Int) -> Element? {
    guard let element = elements[number] else { return nil }
    elements[number] = nil
    free.append(number)
    return element
  }

  mutating func removeAll() -> [Element] {
    defer { (elements, free) = ([], []) }
    return elements.compactMap(\.self)
  }
}
