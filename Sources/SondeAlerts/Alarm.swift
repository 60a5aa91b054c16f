import SondeRecords
import SondeSystem
import SondeWeb

/// A way to publish alerts.
package protocol Alarm: Sendable {
  /// Publishes an alert or stores it; the next one waits until it returns.
  ///
  /// - Returns: Whether it was raised, or its failure reported; `false` if the program ends before.
  func raise(_ alert: Alert) async -> Bool

  /// Waits for pending work, but ends it at once if the task is cancelled.
  func finish() async
}

extension Alarm {
  package func finish() async {}
}

/// A way to publish alerts that can be tried.
package protocol TestableAlarm: Sendable {
  /// Makes one attempt to publish an alert, which is stored nowhere.
  func attempt(_ alert: Alert) async -> AlertAttempt
}

/// The result of an attempt to publish an alert.
package struct AlertAttempt: Sendable, Equatable {
  /// Whether the alert has arrived.
  package let isTaken: Bool

  /// What came back, for a person.
  package let words: String
}

extension Alert {
  /// The variables of a command's environment; empty values are unknown.
  var variables: [(name: String, value: String)] {
    if kind == .hits { return hitVariables }
    let facts = network
    return [
      ("SONDE_STATE", facts?.state ?? event["event"]?.text ?? ""),
      ("SONDE_CAUSE", facts?.cause ?? ""),
      ("SONDE_INTERFACE", facts?.interface ?? ""),
      ("SONDE_AT", event["at"]?.text ?? ""),
      ("SONDE_DOWN_MS", event["down_ms"]?.digits ?? ""),
    ]
  }

  private var hitVariables: [(name: String, value: String)] {
    let key = event["key"].map { String(decoding: $0.bytes, as: UTF8.self) }
    return [
      ("SONDE_ALERT_ID", event["id"]?.text ?? ""), ("SONDE_ALERT_IP", event["ip"]?.text ?? ""),
      ("SONDE_ALERT_KEY", key ?? ""), ("SONDE_ALERT_COUNT", event["count"]?.digits ?? ""),
      ("SONDE_ALERT_TIME", event["time"]?.text ?? ""),
    ]
  }

  /// The whole alert in words: one line without control characters.
  package var words: String { AlertText(self).text }

  /// One line for a log.
  var logLine: String {
    guard let facts = network else { return AlertText(self).text }
    let place = facts.interface.map { " on \($0)" } ?? ""
    let message = event["message"]?.text ?? facts.cause ?? ""
    let text = "network \(facts.state)\(place): \(message)"
    return escapedForPerson(text + ", endpoint \(facts.endpoint)")
  }
}
