import Dispatch
import Glibc
import Synchronization

/// Runs something that a signal can end early.
enum Signals {
  private static let ending: [(number: Int32, status: ExitStatus)] = [
    (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
  ]

  /// Cancels `work` at SIGINT, SIGTERM or SIGHUP; a second signal ends the process at once.
  ///
  /// - Returns: What `work` returned, and the status of the signal that ended it, if one did.
  static func cancelling<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> (Result, ExitStatus?) {
    let task = Task { await work() }
    let received = Mutex<ExitStatus?>(nil)
    let box = SignalBox(received)
    let sources = ending.map { ending in
      signal(ending.number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: ending.number, queue: .global())
      source.setEventHandler {
        if box.isFirst(ending.status) { task.cancel() } else { _exit(ending.status.rawValue) }
      }
      source.resume()
      return source
    }
    let result = await task.value
    sources.forEach { $0.cancel() }
    return (result, box.status)
  }
}

/// Remembers the first signal.
private final class SignalBox: Sendable {
  private let received: Mutex<ExitStatus?>

  init(_ received: consuming Mutex<ExitStatus?>) { self.received = received }

  var status: ExitStatus? { received.withLock { $0 } }

  func isFirst(_ status: ExitStatus) -> Bool {
    received.withLock { received in
      guard received == nil else { return false }
      received = status
      return true
    }
  }
}
