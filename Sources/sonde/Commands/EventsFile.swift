import Glibc
import Providers
import Records
import Scanner
import System

/// A file of events, one JSON object a line, each written at once.
struct EventsFile {
  private let file: Descriptor
  private let name: String
  private let isStandardOutput: Bool

  /// Why a line could not be written.
  private var failure: OutputError?

  /// Whether what an existing file holds stays in it.
  private let appends: Bool

  /// Makes a file, or opens an existing one; `-` is stdout.
  init(path: String, appends: Bool) throws(OutputError) {
    isStandardOutput = path == "-"
    (name, self.appends) = (isStandardOutput ? "stdout" : path, appends)
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY
    do throws(SystemError) {
      if isStandardOutput {
        file = Descriptor(sharing: STDOUT_FILENO)
      } else {
        file = try Descriptor(opening: path, flags)
      }
    } catch {
      throw OutputError(name: name, code: error.code)
    }
  }

  /// Throws away what is in a regular file that is not appended to.
  func empty() throws(OutputError) {
    guard !appends, !isStandardOutput, FileStatus(descriptor: file.number)?.isRegular == true,
      ftruncate(file.number, 0) != 0
    else { return }
    throw OutputError(name: name, code: errno)
  }

  /// Appends a line; after a failure nothing more is written.
  mutating func write(_ line: [UInt8]) {
    var written = 0
    while failure == nil, written < line.count {
      guard let count = Signals.interruption.run({ writeOnce(line, from: written) }) else {
        return failure = .abandoned(name)
      }
      if count >= 0 {
        written += count
      } else if errno != EAGAIN {
        failure = OutputError(name: name, code: errno)
      } else if Signals.interruption.run(waitUntilWritable) == nil {
        failure = .abandoned(name)
      }
    }
  }

  /// Why a line could not be written, where that is a fault: a reader of stdout who has gone is
  /// satisfied, and one who stalls is not waited for after a signal.
  var fault: OutputError? {
    guard let failure, !failure.isAbandoned, !(isStandardOutput && failure.isClosedPipe) else {
      return nil
    }
    return failure
  }

  private func writeOnce(_ line: [UInt8], from start: Int) -> Int {
    unsafe line.withUnsafeBytes { bytes in
      unsafe Glibc.write(
        file.number,
        bytes.baseAddress.map { unsafe $0 + start },
        bytes.count - start
      )
    }
  }

  /// Waits where stdout was made non-blocking by whoever shares it.
  private func waitUntilWritable() -> Int {
    var polled = pollfd(fd: file.number, events: Int16(POLLOUT), revents: 0)
    return Int(unsafe poll(&polled, 1, -1))
  }
}

extension Context {
  /// Opens the events file, if one is wanted.
  ///
  /// - Parameter appends: Whether the events of an earlier run stay.
  /// - Returns: The file.
  /// - Throws: `OutputError` when it cannot be opened.
  func events(appends: Bool) throws(OutputError) -> EventsFile? {
    guard let path = options.events else { return nil }
    return try EventsFile(path: path, appends: appends)
  }
}

extension ScanEvent {
  /// The event as a line of the events file; `nil` for what only a person is told.
  var json: [UInt8]? {
    switch self {
    case .quota(let source, let wait, let remaining):
      var object = JSONObject(event: "quota", of: source.name)
      object.add("wait_ms", wait.milliseconds)
      object.add("remaining", remaining)
      return object.line
    case .provider(let source, let state, let message):
      var object = JSONObject(event: "provider", of: source.name)
      object.add("state", state.rawValue)
      object.add("message", message)
      return object.line
    case .retry(let provider, let attempt, let wait, let message):
      var object = JSONObject(event: "retry", of: provider)
      object.add("attempt", attempt)
      object.add("wait_ms", wait.milliseconds)
      object.add("message", message)
      return object.line
    case .network(let transition): return transition.event.line
    case .interface(let change): return change.event.line
    case .handover(let from, let to, _, let message):
      var object = JSONObject()
      object.add("event", "handover")
      object.add("at", Timestamp.now.withMilliseconds)
      object.add("from", from)
      object.add("to", to)
      object.add("message", message)
      return object.line
    case .unwatched, .gaveUpWaiting, .firstQuestion, .takesNoBatches, .inputError: return nil
    }
  }
}

extension JSONObject {
  /// Begins an event about a provider.
  fileprivate init(event: String, of provider: String) {
    self.init()
    add("event", event)
    add("at", Timestamp.now.withMilliseconds)
    add("provider", provider)
  }
}
