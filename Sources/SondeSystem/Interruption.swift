import Glibc
import Synchronization

/// Interrupts the blocking calls that run under it, such as a write to a stalled reader or the
/// opening of a pipe without a reader.
///
/// It sends a signal to the threads in such a call (signal(7), "Interruption of system calls and
/// library functions by signal handlers"), so that descriptors shared with other programs remain
/// blocking.
public final class Interruption: Sendable {
  private struct State {
    var isOver = false
    var threads: [pthread_t] = []
  }

  /// The pause between two signals to a thread, in microseconds; one that arrives directly before
  /// the call has no effect.
  private static let pause: UInt32 = 5_000

  /// The first real-time signal available to programs.
  private static let number: Int32 = {
    let number = __libc_current_sigrtmin()
    var action = sigaction()
    // Handled, not ignored, and without SA_RESTART, so that the call fails.
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    unsafe sigaction(number, &action, nil)
    return number
  }()

  private let state = Mutex(State())

  /// Creates an interruption that is not yet active.
  public init() {}

  /// Whether calls are interrupted.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Runs a system call that may block, and repeats it if another signal ends it with `EINTR`.
  ///
  /// `nil` if it was interrupted or not started.
  public func run(_ call: () -> Int) -> Int? {
    let thread = pthread_self()
    Self.admitSignal()
    while true {
      let mayBegin = state.withLock { state in
        if !state.isOver { state.threads.append(thread) }
        return !state.isOver
      }
      guard mayBegin else { return nil }
      let result = call()
      let code = errno
      state.withLock { $0.threads.removeAll { pthread_equal($0, thread) != 0 } }
      errno = code
      guard result < 0, code == EINTR else { return result }
    }
  }

  /// Interrupts all running and all later calls.
  public func end() {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst, signalThreads() else { return }
    try? Thread { [self] in while signalThreads() { usleep(Self.pause) } }.detach()
  }

  /// Signals each thread that is in a call; returns whether there was one.
  private func signalThreads() -> Bool {
    // Under the lock, since a thread in the list cannot end.
    state.withLock { state in
      for thread in state.threads { pthread_kill(thread, Self.number) }
      return !state.threads.isEmpty
    }
  }

  private static func admitSignal() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
