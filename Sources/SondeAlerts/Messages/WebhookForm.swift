import SondeTransfer
import SondeWeb

/// What a form makes a message of.
struct WebhookMessage: Sendable {
  let alert: Alert
  let words: AlertText

  /// Whether the state that it reports has ended meanwhile.
  let isOver: Bool

  /// The user in the URL, where the form takes it for a key.
  let key: String

  /// An alert of which `next` is the newest that follows, if any.
  init(_ alert: Alert, next: Alert? = nil, key: String = "") {
    (self.alert, self.key, words) = (alert, key, AlertText(alert))
    isOver = next.map { $0.ends(alert) } ?? false
  }
}

extension Alert {
  /// Whether a later alert shows that the state which began with an earlier one has ended.
  fileprivate func ends(_ earlier: Alert) -> Bool {
    guard let state = earlier.course?.current, kind == .network, host == earlier.host,
      network?.endpoint == earlier.network?.endpoint
    else { return false }
    return course?.current?.name != state.name || course?.current?.since != state.since
  }

  /// How much an alert matters, from the worst on.
  enum Severity: String, Sendable {
    case critical, warning, info
  }

  var severity: Severity {
    if kind == .hits { return .warning }
    guard let state = course?.current else { return .info }
    return state.severity
  }
}

extension NetworkCourse.State {
  var severity: Alert.Severity { name == NetworkFacts.degraded ? .warning : .critical }
}

/// The form of message that a service takes: a row of a table.
struct WebhookForm: Sendable {
  typealias Header = (name: String, value: String)

  /// As in `FORMAT=URL`.
  let name: String

  /// The hosts whose default it is; `*.` stands for any labels.
  var hosts: [String] = []

  var contentType = "application/json"

  /// Whether the user in the URL is a key, which goes into the body, and is no authorization.
  var takesKey = false

  /// The path to ask for, by that in the URL.
  var path: @Sendable (Substring) -> Substring = { $0 }

  var headers: @Sendable (WebhookMessage) -> [Header] = { _ in [] }

  let body: @Sendable (WebhookMessage) -> [UInt8]
}

extension WebhookForm {
  /// The event itself, with the name of the machine and the text.
  static let sonde = WebhookForm(name: "sonde") { message in
    let added: [(String, JSON)] = [
      ("host", .string(message.alert.host)), ("summary", .string(message.words.text)),
    ]
    return JSON.object((message.alert.event.members ?? []) + added).bytes
  }
}
