import SondeSystem
import Synchronization

/// The threads that a kind of work may block at a time.
final class BlockedThreads: Sendable {
  /// Those that resolve names: a silent name server blocks one for ten seconds or more.
  static let resolving = BlockedThreads(most: 8)

  /// Those that connect, each for no longer than its time limit; probes may overlap.
  static let connecting = BlockedThreads(most: 128)

  private let most: Int
  private let count = Mutex(0)

  private init(most: Int) { self.most = most }

  fileprivate func enter() -> Bool {
    count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
  }

  fileprivate func leave() { count.withLock { $0 -= 1 } }
}

/// Runs a blocking body on a separate thread and waits for its result without blocking.
///
/// `otherwise` is the result if too many threads are blocked already or none can be started.
func onThread<Result: Sendable>(
  _ threads: BlockedThreads,
  otherwise: Result,
  _ body: @escaping @Sendable () -> Result
) async -> Result {
  guard threads.enter() else { return otherwise }
  defer { threads.leave() }
  return await withCheckedContinuation { continuation in
    do {
      try Thread { continuation.resume(returning: body()) }.detach()
    } catch {
      continuation.resume(returning: otherwise)
    }
  }
}
