import Dispatch
import Synchronization

/// Holds a long line back until all before it is taken, and what follows it until it is taken itself, so
/// that such lines, and what is made of them, are in memory one at a time.
final class LongLineGate: Sendable {
  private struct State {
    /// The step that may have a long line.
    var allowed = 0
    var isOpen = false
    var isWaiting = false
  }

  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  /// Waits until all before a step is taken; only one thread at a time may.
  func wait(for number: Int) {
    while true {
      let isHeld = state.withLock { state in
        state.isWaiting = !state.isOpen && state.allowed < number
        return state.isWaiting
      }
      guard isHeld else { return }
      changes.wait()
    }
  }

  /// Lets a step have a long line.
  func allow(_ number: Int) { change { $0.allowed = number } }

  /// Holds nothing back any more.
  func open() { change { $0.isOpen = true } }

  private func change(_ body: (inout State) -> Void) {
    let isWaiting = state.withLock { state in
      body(&state)
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if isWaiting { changes.signal() }
  }
}
