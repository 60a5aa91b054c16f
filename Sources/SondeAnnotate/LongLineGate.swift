import Dispatch
import Synchronization

/// Delays a long line until all earlier ones are taken, and later lines until it is taken itself,
/// so that only one long line is in memory at a time.
final class LongLineGate: Sendable {
  private struct State {
    /// The step that may have a long line.
    var allowed = 0
    var isOpen = false
    var isWaiting = false
  }

  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  /// Waits until all before a step are taken; must not be called concurrently.
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

  /// Permits a long line in a step.
  func allow(_ number: Int) { change { $0.allowed = number } }

  /// Ends all delays.
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
