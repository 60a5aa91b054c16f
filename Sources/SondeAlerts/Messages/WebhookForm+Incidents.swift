import SondeRecords
import SondeSystem
import SondeWeb

// MARK: - Alertmanager

extension WebhookForm {
  /// Alertmanager's `POST /api/v2/alerts`: answered with 200.
  ///
  /// Alerts with the same labels are the same one; it ends at `endsAt`, or when it has not been
  /// sent for `resolve_timeout`, 5 minutes
  /// (https://prometheus.io/docs/alerting/latest/alerts_api,
  /// https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml).
  static let alertmanager = WebhookForm(name: "alertmanager") { message in
    JSON.array(alerts(of: message)).bytes
  }

  /// How long a state lasts at most for Alertmanager, unless its end is sent.
  private static let longest = Duration.seconds(7 * 86_400)

  private static func alerts(of message: WebhookMessage) -> [JSON] {
    let alert = message.alert
    switch alert.kind {
    case .network:
      let course = alert.course
      let ended = course?.ended.map { Self.alert(about: $0, of: message, end: alert.at) }
      let current = course?.current.map { Self.alert(about: $0, of: message, end: nil) }
      return [ended, current].compactMap(\.self)
    case .watchlist:
      let name: (String, JSON) = ("name", .string(alert.event["name"]?.text ?? ""))
      return [event("SondeWatchlist", [name], of: message)]
    case .hits:
      let name = [("name", alert.event["name"] ?? .string(""))]
      let key = (alert.event["key"]?.members ?? []).map { name, value in
        (Self.ownLabels.contains(name) ? "key_\(name)" : name, value)
      }
      return [event("SondeGuard", name + key, of: message)]
    case .test: return [event("SondeTest", [], of: message)]
    }
  }

  private static func alert(
    about state: NetworkCourse.State,
    of message: WebhookMessage,
    end: Timestamp?
  ) -> JSON {
    let isDegraded = state.name == NetworkFacts.degraded
    // The latest cause while it lasts, the first in the end.
    let facts = end == nil ? message.alert.network : nil
    var annotations: [(String, JSON)] = [("summary", .string(message.words.text))]
    if let cause = facts?.cause ?? state.cause { annotations.append(("cause", .string(cause))) }
    if let interface = facts == nil ? state.interface : facts?.interface {
      annotations.append(("interface", .string(interface)))
    }
    // A clock that was set back in between must not end it before its start, which is refused.
    let start = end.map { min(state.since, $0) } ?? state.since
    let last = end ?? Timestamp(milliseconds: start.milliseconds + longest.milliseconds)
    return [
      "labels": [
        "alertname": isDegraded ? "SondeDegraded" : "SondeOffline",
        "host": .string(message.alert.host), "endpoint": .string(state.endpoint),
        "severity": .string(state.severity.rawValue),
      ],
      "annotations": .object(annotations),
      "startsAt": .string(start.withMilliseconds), "endsAt": .string(last.withMilliseconds),
    ]
  }

  /// The labels that a field of a key does not replace: it stands beside them under another name.
  private static let ownLabels: Set<String> = ["alertname", "host", "name", "severity"]

  private static func event(
    _ name: String,
    _ labels: [(String, JSON)],
    of message: WebhookMessage
  ) -> JSON {
    let alert = message.alert
    let common: [(String, JSON)] = [("alertname", .string(name)), ("host", .string(alert.host))]
    let severity: (String, JSON) = ("severity", .string(alert.severity.rawValue))
    return [
      "labels": .object(common + labels + [severity]),
      "annotations": ["summary": .string(message.words.text)],
      "startsAt": .string(alert.at.withMilliseconds),
    ]
  }
}

// MARK: - PagerDuty

extension WebhookForm {
  /// PagerDuty's Events API v2: answered with 202, an event that is not valid with 400.
  ///
  /// `routing_key` is the integration key of a service. A `resolve` ends the incident with the same
  /// `dedup_key`, of at most 255 characters
  /// (https://developer.pagerduty.com/docs/events-api-v2/trigger-events).
  static let pagerDuty = WebhookForm(
    name: "pagerduty",
    hosts: ["events.pagerduty.com", "events.eu.pagerduty.com"],
    takesKey: true
  ) { message in
    let alert = message.alert
    let isEnd = alert.kind == .network && alert.course?.current == nil
    let payload: JSON = [
      "summary": .string(Markup.plain.escaped(message.words.text, atMost: 1024)),
      "source": .string(alert.host), "severity": .string(alert.severity.rawValue),
      "timestamp": .string(alert.at.withMilliseconds),
    ]
    let body: JSON = [
      "routing_key": .string(message.key), "event_action": isEnd ? "resolve" : "trigger",
      "dedup_key": .string(alert.incident), "payload": payload,
    ]
    return body.bytes
  }
}

extension Alert {
  /// A name that all alerts have in common from leaving `online` to being back, and no others.
  fileprivate var incident: String {
    if kind == .hits {
      let values = (event["key"]?.members ?? []).map { "\($0)=\($1.text ?? "")" }
      let subject = values.joined(separator: " ")
      return Self.key("\(event["name"]?.text ?? "") \(subject) \(host)")
    }
    let moment = (course?.left ?? at).withMilliseconds
    let subject = network?.endpoint ?? event["id"]?.text ?? event["event"]?.text ?? ""
    return Self.key("\(moment) \(subject) \(host)")
  }

  /// A text as a `dedup_key`: of a long one the beginning, and a digest by which others differ.
  private static func key(_ text: String) -> String {
    let whole = Markup.plain.escaped(text, atMost: .max)
    guard whole.utf16.count > longestKey else { return whole }
    let digest = sha256InBase64(Array(text.utf8))
    return Markup.plain.escaped(text, atMost: longestKey - digest.count - 1) + " " + digest
  }

  /// The length of a `dedup_key`, in characters.
  private static let longestKey = 255
}
