import Glibc
package import SondeOptions
package import SondeSystem
import Synchronization

/// Ends the program early: at SIGINT, SIGTERM or SIGHUP, or when the reader of stdout has gone.
///
/// One thread receives the signals. They end the program immediately unless work is running; the
/// work is cancelled and has a moment to write its results.
package enum Signals {
  private static let ending: [(number: Int32, status: ExitStatus)] = [
    (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
  ]

  /// The time after a signal for writing results to a stalled reader.
  private static let grace = Duration.milliseconds(1000)
  /// The time after that for everything else.
  private static let lastGrace = Duration.milliseconds(800)

  /// In microseconds, the time for writing to a stalled output once stdout's reader has gone.
  private static let outputGrace: UInt32 = 50_000

  /// Ends blocked writes some time after a signal or the loss of stdout's reader.
  package static let interruption = Interruption()

  /// The running work and what ended it.
  private struct Work {
    var cancel: @Sendable () -> Void = {}
    var end: ExitStatus?
  }

  private static let work = Mutex<Work?>(nil)

  /// The exit status after any signal, if it is not the signal's own.
  private static let usual = Mutex<ExitStatus?>(nil)

  /// The action of SIGHUP; `nil` to end the program.
  private static let hangUp = Mutex<(@Sendable () -> Void)?>(nil)

  /// Starts handling signals; must run before any other thread starts.
  ///
  /// Signals ignored at startup stay ignored (nohup(1), background jobs: POSIX.1-2024, 2.12).
  ///
  /// - Throws: ``SystemError`` if no thread can be started.
  package static func begin() throws(SystemError) {
    // Writing then fails with EPIPE, even in libcurl's sockets, and beyond a size limit with EFBIG.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for ending in ending where !isIgnored(ending.number) {
      unsafe sigaddset(&signals, ending.number)
    }
    // Threads inherit the mask; child processes get an empty one.
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let taken = signals
    try Thread {
      waitingThread.store(pthread_self(), ordering: .releasing)
      take(taken)
    }.detach()
    // Dispatch unblocks every signal in the main thread, which passes them to the right thread.
    for ending in ending where !isIgnored(ending.number) {
      signal(ending.number) { number in
        let thread = waitingThread.load(ordering: .acquiring)
        if thread == 0 || pthread_kill(thread, number) != 0 { _exit(128 + number) }
      }
    }
  }

  /// Makes any signal the regular end of the command.
  package static func endWithSuccess() {
    usual.withLock { $0 = .success }
  }

  /// Makes SIGHUP call `body` on the signal thread instead of ending the program.
  package static func hangsUp(_ body: @escaping @Sendable () -> Void) {
    hangUp.withLock { $0 = body }
  }

  /// Runs work that a signal cancels, or the loss of stdout's reader if it `watchesOutput`.
  ///
  /// `prepare` is called right before the work is cancelled. Returns the result and what ended it
  /// early, if anything; ``ExitStatus/success`` if the reader of stdout has gone.
  package static func cancelling<Result: Sendable>(
    watchesOutput: Bool = true,
    preparing prepare: @escaping @Sendable () -> Void = {},
    _ work: @escaping @Sendable () async -> Result
  ) async -> (Result, ExitStatus?) {
    let task = Task { await work() }
    let cancelTask = { @Sendable in
      prepare()
      task.cancel()
    }
    Self.work.withLock { $0 = Work(cancel: cancelTask) }
    if watchesOutput { watchOutput() }
    let result = await task.value
    let end = Self.work.withLock { work in
      defer { work = nil }
      return work?.end
    }
    return (result, end)
  }

  /// Runs the remaining steps after the work; a signal does not end them immediately.
  package static func finishing<Result>(_ rest: () async -> Result) async -> Result {
    work.withLock { $0 = Work() }
    defer { work.withLock { $0 = nil } }
    return await rest()
  }

  /// Cancels the running work.
  ///
  /// - Returns: Whether there was work that had not been cancelled.
  @discardableResult private static func cancel(_ end: ExitStatus) -> Bool {
    let cancel: (@Sendable () -> Void)? = work.withLock { work in
      guard work != nil, work?.end == nil else { return nil }
      work?.end = end
      return work?.cancel
    }
    cancel?()
    return cancel != nil
  }

  /// Cancels the work when the reader of a pipe or socket on stdout has gone.
  ///
  /// Stalled readers of other outputs are then not awaited much longer, even after the work.
  private static func watchOutput() {
    guard FileStatus(descriptor: STDOUT_FILENO)?.hasOtherSide == true else { return }
    // Without a thread or pipe, the next write detects it.
    try? Thread {
      guard (try? WakePipe())?.wait(for: .hangUp, of: STDOUT_FILENO) == .ready else { return }
      cancel(.success)
      usleep(outputGrace)
      interruption.end()
    }.detach()
  }

  // MARK: - On the thread of the signals

  private static func take(_ signals: sigset_t) {
    while true {
      guard let signal = next(of: signals, within: nil) else { continue }
      if signal == SIGHUP, let body = hangUp.withLock({ $0 }) {
        body()
        continue
      }
      let own = ending.first { $0.number == signal }?.status ?? .terminated
      let status = usual.withLock { $0 } ?? own
      guard cancel(status) else { _exit(status.rawValue) }
      let second = next(of: signals, within: grace)
      if second == nil {
        interruption.end()
        _ = next(of: signals, within: lastGrace)
      }
      _exit(status.rawValue)
    }
  }

  /// Waits for a signal; `nil` after the time limit.
  private static func next(of signals: sigset_t, within time: Duration?) -> Int32? {
    var signals = signals
    guard let time else {
      var number: Int32 = 0
      return unsafe sigwait(&signals, &number) == 0 ? number : nil
    }
    let end = Clocks.steady + time
    while case let left = end - Clocks.steady, left > .zero {
      var limit = timespec()
      limit.tv_sec = Int(left.components.seconds)
      limit.tv_nsec = Int(left.components.attoseconds / 1_000_000_000)
      let number = unsafe sigtimedwait(&signals, nil, &limit)
      if number > 0 { return number }
      if errno == EAGAIN { return nil }
    }
    return nil
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    // The handler as a number: SIG_IGN is 1 (signal(2)).
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}

/// The thread that waits for signals; 0 before it does.
private let waitingThread = Atomic<pthread_t>(0)

extension FileStatus {
  fileprivate var hasOtherSide: Bool { isPipe || mode & S_IFMT == S_IFSOCK }
}
