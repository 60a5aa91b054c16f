import Synchronization

/// Wakes the tasks that wait for something.
final class WakeSignal: Sendable {
  private let waiting = Mutex<[AsyncStream<Void>.Continuation]>([])

  /// An element at once and after each ring; several rings while nobody waits are one.
  func rings() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    waiting.withLock { $0.append(continuation) }
    return stream
  }

  /// Wakes all.
  func ring() { waiting.withLock { $0 }.forEach { $0.yield() } }
}
