import Glibc
import Synchronization
import TestSupport

extension DashboardFixture {
  /// A dashboard whose provider answers once the gate is open.
  convenience init(holding gate: Gate) throws {
    try self.init { question, _ in
      gate.wait()
      return .ipAPI(question.addresses)
    }
  }
}

/// Holds up the answers of a server until it is opened.
final class Gate: Sendable {
  private let state = Mutex((isOpen: false, waits: 0))

  var isWaitedFor: Bool { state.withLock { $0.waits > 0 } }

  func open() { state.withLock { $0.isOpen = true } }

  func wait() {
    state.withLock { $0.waits += 1 }
    while !state.withLock({ $0.isOpen }) { usleep(1000) }
  }
}
