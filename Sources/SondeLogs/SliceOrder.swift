import Dispatch
import Synchronization

/// Orders the results of several threads, and limits how far they get ahead.
package final class SliceOrder<Element: Sendable>: Sendable {
  /// The result of a wait.
  package enum Next {
    case element(Element)
    /// Nothing arrived in time.
    case silence
    case end
  }

  private struct State {
    var elements: [Int: Element] = [:]
    var next = 0
    /// The total number of elements, once known.
    var count: Int?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let arrivals = DispatchSemaphore(value: 0)

  /// Creates an order with at most `window` elements in progress or waiting for delivery.
  init(window: Int) { for _ in 0..<window { room.signal() } }

  /// Waits for space for another element; `false` if no more are needed.
  func admit() -> Bool {
    room.wait()
    let isWanted = state.withLock { !$0.isCancelled && $0.count == nil }
    // Wakes the next thread, too.
    if !isWanted { room.signal() }
    return isWanted
  }

  /// Adds an element by its number.
  func insert(_ element: Element, at number: Int) {
    state.withLock { $0.elements[number] = element }
    arrivals.signal()
  }

  /// Sets the total number of elements.
  func end(at count: Int) {
    state.withLock { $0.count = count }
    room.signal()
    arrivals.signal()
  }

  /// Ends all waits.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    room.signal()
    arrivals.signal()
  }

  /// Waits for the next element until a deadline; must not be called concurrently.
  ///
  /// Throws `CancellationError` after ``cancel()``.
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
