internal import Glibc
internal import Synchronization

/// Runs a body on a new thread that nobody waits for.
/// - Returns: Whether there was a thread to be had; if not, the body does not run.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let box = unsafe Unmanaged.passRetained(ThreadBody(run: body))
  var thread = pthread_t()
  guard unsafe pthread_create(&thread, nil, runBody, box.toOpaque()) == 0 else {
    unsafe box.release()
    return false
  }
  pthread_detach(thread)
  return true
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // Signals are for the program's own threads.
  var signals = sigset_t()
  unsafe sigfillset(&signals)
  unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  guard let context = unsafe context else { return nil }
  unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

// A silent name server holds a thread for ten seconds and more; there must be no end of them.
private let blocked = Mutex(0)
private let mostBlocked = 8

/// Runs a blocking body on a thread of its own and waits for its result without blocking.
/// - Parameters:
///   - otherwise: The result when too many such bodies are blocked already.
///   - body: What blocks.
/// - Returns: The body's result.
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
    if !startThread({ continuation.resume(returning: body()) }) {
      continuation.resume(returning: otherwise)
    }
  }
}

/// The time on a clock that never jumps and goes on while the machine sleeps.
func steadyTime() -> Duration { time(CLOCK_BOOTTIME) }

extension Moment {
  /// This moment.
  static var now: Moment { Moment(steady: steadyTime(), wall: time(CLOCK_REALTIME)) }
}

private func time(_ clock: clockid_t) -> Duration {
  var value = timespec()
  unsafe clock_gettime(clock, &value)
  return .seconds(value.tv_sec) + .nanoseconds(value.tv_nsec)
}

extension Duration {
  /// For `poll`: rounded up, so as not to wake before the time; a day at most.
  var wholeMilliseconds: Int32 {
    let bounded = min(max(self, .zero), .seconds(86_400))
    let (seconds, attoseconds) = bounded.components
    return Int32(seconds) * 1000
      + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
