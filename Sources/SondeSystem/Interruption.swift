import Glibc
import Synchronization

/// Ends the blocking calls that run under it, whatever they wait for: a reader that has stalled, or a
/// pipe without a reader.
///
/// It sends a signal to the threads that are in such a call (signal(7), "Interruption of system calls
/// and library functions by signal handlers"), so that descriptors which are shared with other
/// programs stay blocking.
public final class Interruption: Sendable {
  private struct State {
    var isOver = false
    var threads: [pthread_t] = []
  }

  /// The pause between two signals to a thread: one that comes right before the call is without
  /// effect.
  private static let pause: UInt32 = 5_000

  /// The first real-time signal that is free for programs.
  private static let number: Int32 = {
    let number = __libc_current_sigrtmin()
    var action = sigaction()
    // Handled rather than ignored, and without SA_RESTART, so that the call fails.
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    unsafe sigaction(number, &action, nil)
    return number
  }()

  private let state = Mutex(State())

  /// Makes an interruption that has ended nothing yet.
  public init() {}

  /// Whether calls are ended.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Runs a system call that may block, again after every other signal.
  ///
  /// - Parameter call: The call; negative with `EINTR` where a signal came.
  /// - Returns: What it returned; `nil` where it was ended, or not even begun.
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

  /// Ends every call under way, and every later one.
  public func end() {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst, signalThreads() else { return }
    try? Thread { [self] in while signalThreads() { usleep(Self.pause) } }.detach()
  }

  /// Signals each thread that is in a call; says whether there was one.
  private func signalThreads() -> Bool {
    // Within the lock, since a thread lives as long as it is in the list.
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
