import Dispatch
import Synchronization

/// Holds a server's thread until a test lets it go.
final class Gate: Sendable {
  static let shared = Gate()

  private let reached = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  private let semaphore = DispatchSemaphore(value: 0)

  /// Called by the server: says that it is here, and waits.
  func wait() {
    reached.continuation.yield()
    semaphore.wait()
  }

  /// Called by the test.
  func waitUntilReached() async { for await _ in reached.stream { return } }

  /// Lets one waiting thread go.
  func open() { semaphore.signal() }
}
