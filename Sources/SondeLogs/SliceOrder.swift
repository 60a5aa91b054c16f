import Dispatch
import Synchronization

/// Puts what several threads make of slices in order, and stops them when they get too far ahead.
package final class SliceOrder<Element: Sendable>: Sendable {
  /// What came of waiting.
  package enum Next {
    case element(Element)
    /// Nothing came within the time given.
    case silence
    case end
  }

  private struct State {
    var elements: [Int: Element] = [:]
    var next = 0
    /// How many elements there are in all, once that is known.
    var count: Int?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let arrivals = DispatchSemaphore(value: 0)

  /// Makes one without elements.
  ///
  /// - Parameter window: How many elements may be under way or wait to be given out.
  init(window: Int) { for _ in 0..<window { room.signal() } }

  /// Waits for room for another element; `false` where none is wanted any more.
  func admit() -> Bool {
    room.wait()
    let isWanted = state.withLock { !$0.isCancelled && $0.count == nil }
    // The next thread waits, too.
    if !isWanted { room.signal() }
    return isWanted
  }

  /// Adds an element by its number.
  func insert(_ element: Element, at number: Int) {
    state.withLock { $0.elements[number] = element }
    arrivals.signal()
  }

  /// Ends the elements.
  func end(at count: Int) {
    state.withLock { $0.count = count }
    room.signal()
    arrivals.signal()
  }

  /// Ends every wait.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    room.signal()
    arrivals.signal()
  }

  /// Waits for the next element; only one thread at a time may.
  ///
  /// - Parameter deadline: When waiting ends; `nil` is never.
  /// - Returns: The element, or why there is none.
  /// - Throws: `CancellationError` after ``cancel()``.
  func next(until deadline: ContinuousClock.Instant?) throws(CancellationError) -> Next {
    while true {
      if let next = try takeNext() {
        if case .element = next { room.signal() }
        return next
      }
      guard let deadline else {
        arrivals.wait()
        continue
      }
      let time = max(.zero, deadline - .now) / .nanoseconds(1)
      if arrivals.wait(timeout: .now() + .nanoseconds(Int(time))) == .timedOut {
        return try takeNext() ?? .silence
      }
    }
  }

  private func takeNext() throws(CancellationError) -> Next? {
    try state.withLock { state throws(CancellationError) in
      if state.isCancelled { throw CancellationError() }
      if let element = state.elements.removeValue(forKey: state.next) {
        state.next += 1
        return .element(element)
      }
      return state.next == state.count ? .end : nil
    }
  }
}
