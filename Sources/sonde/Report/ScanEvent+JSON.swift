import Providers
import Records
import Scanner

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
      var object = JSONObject(event: "handover")
      object.add("from", from)
      object.add("to", to)
      object.add("message", message)
      return object.line
    case .unwatched, .gaveUpWaiting, .firstQuestion, .takesNoBatches, .inputError, .converted,
      .remark:
      return nil
    }
  }
}

extension JSONObject {
  /// Begins an event about a provider.
  fileprivate init(event: String, of provider: String) {
    self.init(event: event)
    add("provider", provider)
  }
}
