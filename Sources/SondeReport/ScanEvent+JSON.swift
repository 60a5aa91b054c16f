import SondeAsking
import SondeProviders
import SondeRecords

extension ScanEvent {
  /// The event as a line of the events file; `nil` for what only a person is told.
  package var json: [UInt8]? {
    switch self {
    case .quota(let source, let wait, let remaining):
      return Self.quota(of: source.name, wait, remaining)
    case .registryQuota(let name, let wait, let remaining):
      return Self.quota(of: name, wait, remaining)
    case .provider(let source, let state, let message):
      return Self.state(of: source.name, state, message)
    case .registry(let name, let state, let message):
      return Self.state(of: name, state, message)
    case .retry(let provider, let attempt, let wait, let message):
      var object = JSONObject(event: "retry", of: provider)
      object.add("attempt", attempt)
      object.add("wait_ms", wait.milliseconds)
      object.add("message", message)
      return object.line
    case .network(let transition): return transition.event.line
    case .interface(let change): return change.event.line
    case .handover(let from, let to, _, let message):
      var object = JSONObject(event: "handover")
      object.add("from", from)
      object.add("to", to)
      object.add("message", message)
      return object.line
    case .unwatched, .gaveUpWaiting, .firstQuestion, .takesNoBatches, .inputError, .converted,
      .remark, .directoriesUnkept:
      return nil
    }
  }

  private static func quota(of name: String, _ wait: Duration, _ remaining: Int) -> [UInt8] {
    var object = JSONObject(event: "quota", of: name)
    object.add("wait_ms", wait.milliseconds)
    object.add("remaining", remaining)
    return object.line
  }

  private static func state(
    of name: String,
    _ state: ProviderState,
    _ message: String
  ) -> [UInt8] {
    var object = JSONObject(event: "provider", of: name)
    object.add("state", state.rawValue)
    object.add("message", message)
    return object.line
  }
}

extension JSONObject {
  /// Begins an event about a provider.
  fileprivate init(event: String, of provider: String) {
    self.init(event: event)
    add("provider", provider)
  }
}
