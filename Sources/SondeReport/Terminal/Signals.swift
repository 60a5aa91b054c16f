import Glibc
package import SondeOptions
package import SondeSystem
import Synchronization

/// Ends the program early: at SIGINT, SIGTERM or SIGHUP, or when nobody reads stdout any more.
///
/// One thread receives the signals. They end the program at once, unless work is under way: that is
/// cancelled, and then has a moment to write what it knows.
package enum Signals {
  private static let ending: [(number: Int32, status: ExitStatus)] = [
    (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
  ]

  /// How long after a signal what is known may still be written to a reader that stalls.
  private static let grace = Duration.milliseconds(1000)
  /// How long after that everything else may take.
  private static let lastGrace = Duration.milliseconds(800)

  /// How long after the end of those who read stdout what is known may still be written to a reader of
  /// another output that stalls, in microseconds.
  private static let outputGrace: UInt32 = 50_000

  /// Ends the writes that wait for a reader, some time after a signal or the end of those who read stdout.
  package static let interruption = Interruption()

  /// The work under way, and what has ended it.
  private struct Work {
    var cancel: @Sendable () -> Void = {}
    var end: ExitStatus?
  }

  private static let work = Mutex<Work?>(nil)

  /// The status that a signal leads to, where that is not its own.
  private static let usual = Mutex<ExitStatus?>(nil)

  /// What SIGHUP does; `nil` is to end the program.
  private static let hangUp = Mutex<(@Sendable () -> Void)?>(nil)

  /// Begins to handle the signals, before there is any other thread; those that were ignored when the
  /// program was started stay ignored (nohup(1), the background of a script: POSIX.1-2024, 2.12).
  ///
  /// - Throws: ``SystemError`` when no thread can be started.
  package static func begin() throws(SystemError) {
    // Writing without a reader then fails with EPIPE, also in libcurl's sockets, and beyond a limit of
    // size with EFBIG.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for ending in ending where !isIgnored(ending.number) {
      unsafe sigaddset(&signals, ending.number)
    }
    // Threads inherit the mask; programs that are started get an empty one.
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let taken = signals
    try Thread {
      waitingThread.store(pthread_self(), ordering: .releasing)
      take(taken)
    }.detach()
    // Dispatch unblocks every signal in the main thread: from there they are passed to the right one.
    for ending in ending where !isIgnored(ending.number) {
      signal(ending.number) { number in
        let thread = waitingThread.load(ordering: .acquiring)
        if thread == 0 || pthread_kill(thread, number) != 0 { _exit(128 + number) }
      }
    }
  }

  /// Has a signal, whenever it comes, be how the command is meant to end.
  package static func endWithSuccess() {
    usual.withLock { $0 = .success }
  }

  /// Has SIGHUP do something else than end the program, on the thread of the signals.
  package static func hangsUp(_ body: @escaping @Sendable () -> Void) {
    hangUp.withLock { $0 = body }
  }

  /// Runs something that a signal, or the end of those who read stdout, cancels.
  ///
  /// - Parameters:
  ///   - watchesOutput: Whether it writes to stdout.
  ///   - prepare: Called right before it is cancelled.
  ///   - work: What runs.
  /// - Returns: What `work` returned, and what ended it early, if anything did:
  ///   ``ExitStatus/success`` where nobody reads any more.
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

  /// Runs what is left to do once the work has ended; a signal that comes meanwhile does not end it at
  /// once.
  package static func finishing<Result>(_ rest: () async -> Result) async -> Result {
    work.withLock { $0 = Work() }
    defer { work.withLock { $0 = nil } }
    return await rest()
  }

  /// Cancels what runs.
  ///
  /// - Returns: Whether anything runs that has not been cancelled yet.
  @discardableResult private static func cancel(_ end: ExitStatus) -> Bool {
    let cancel: (@Sendable () -> Void)? = work.withLock { work in
      guard work != nil, work?.end == nil else { return nil }
      work?.end = end
      return work?.cancel
    }
    cancel?()
    return cancel != nil
  }

  /// Cancels what runs when nobody reads stdout any more, where that is a pipe or a socket, and does not
  /// wait much longer for who reads another output and has stalled: not once the work has ended either.
  private static func watchOutput() {
    guard FileStatus(descriptor: STDOUT_FILENO)?.hasOtherSide == true else { return }
    // Without a thread or a pipe the next write shows it.
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

  /// Waits for a signal; `nil` where none came in time.
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

/// The thread that waits for signals; 0 until it does.
private let waitingThread = Atomic<pthread_t>(0)

extension FileStatus {
  fileprivate var hasOtherSide: Bool { isPipe || mode & S_IFMT == S_IFSOCK }
}
