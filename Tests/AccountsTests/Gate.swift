import Glibc
import Synchronization

/// Holds up threads until it is opened.
final class Gate: Sendable {
  private let isOpen = Mutex(false)

  func open() { isOpen.withLock { $0 = true } }

  func wait() {
    while !isOpen.withLock({ $0 }) { usleep(1000) }
  }
}
