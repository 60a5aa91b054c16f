import Glibc
import Records
import Scanner

/// A file of events, one JSON object a line, each written at once.
struct EventsFile {
  private let descriptor: Int32
  private let name: String

  /// Why a line could not be written.
  private(set) var failure: OutputFailure?

  /// Makes a file; the one that is there is gone on with or emptied; `-` is stdout.
  init(path: String, appends: Bool) throws(OutputFailure) {
    name = path
    let flags = O_WRONLY | O_CREAT | (appends ? 0 : O_TRUNC) | O_APPEND | O_CLOEXEC
    descriptor = path == "-" ? STDOUT_FILENO : unsafe open(path, flags, 0o644)
    guard descriptor >= 0 else { throw OutputFailure(name: path, code: errno) }
  }

  /// Appends a line; after a failure nothing more is written.
  mutating func write(_ line: [UInt8]) {
    var rest = line[...]
    while failure == nil, !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        failure = OutputFailure(name: name, code: errno)
      }
    }
  }
}

extension ScanEvent {
  /// The event as a line of the events file; `nil` for what only a person is told.
  var json: [UInt8]? {
    switch self {
    case .quota(let source, let wait, let remaining):
      var object = JSONObject(event: "quota", of: source)
      object.add("wait_ms", wait.milliseconds)
      object.add("remaining", remaining)
      return object.line
    case .provider(let source, let state, let message):
      var object = JSONObject(event: "provider", of: source)
      object.add("state", state.rawValue)
      object.add("message", message)
      return object.line
    case .retry(let source, let attempt, let wait, let message):
      var object = JSONObject(event: "retry", of: source)
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
    case .gaveUpWaiting, .firstQuestion, .takesNoBatches, .inputFailure: return nil
    }
  }
}

extension JSONObject {
  /// Begins an event about a provider.
  fileprivate init(event: String, of source: Source) {
    self.init()
    add("event", event)
    add("at", Timestamp.now.withMilliseconds)
    add("provider", source.name)
  }
}
