import SondeSystem
import Synchronization

// A silent name server blocks a thread for ten seconds or more, so their number is limited.
private let blocked = Mutex(0)
private let mostBlocked = 8

/// Runs a blocking body on a separate thread and waits for its result without blocking.
///
/// `otherwise` is the result if too many bodies are blocked already or no thread can be started.
func onThread<Result: Sendable>(
  otherwise: Result,
  _ body: @escaping @Sendable () -> Result
) async -> Result {
  let mayStart = blocked.withLock { count in
    guard count < mostBlocked else { return false }
    count += 1
    return true
  }
  guard mayStart else { return otherwise }
  defer { blocked.withLock { $0 -= 1 } }
  return await withCheckedContinuation { continuation in
    do {
      try Thread { continuation.resume(returning: body()) }.detach()
    } catch {
      continuation.resume(returning: otherwise)
    }
  }
}
