import SondeAsking
package import SondeReachability
import SondeRecords
import SondeSystem

/// A change of the network's state to be reported.
package struct NetworkAlert: Sendable {
  private let transition: NetworkTransition

  /// Creates an alert; `nil` for being online at the start.
  package init?(_ transition: NetworkTransition) {
    guard !transition.verdict.isOnline || transition.previous != nil else { return nil }
    self.transition = transition
  }

  /// Whether the network is available.
  var isOnline: Bool { transition.verdict.isOnline }

  /// The `network` event, one JSON object.
  var event: [UInt8] { transition.event.bytes }

  /// The variables of a command's environment; empty values are unknown.
  var variables: [(name: String, value: String)] {
    let at = Timestamp(milliseconds: transition.began.wall.milliseconds).withMilliseconds
    return [
      ("SONDE_STATE", transition.verdict.state),
      ("SONDE_CAUSE", transition.verdict.cause?.rawValue ?? ""),
      ("SONDE_INTERFACE", transition.interface ?? ""),
      ("SONDE_AT", at),
      ("SONDE_DOWN_MS", transition.downTime.map { "\($0.milliseconds)" } ?? ""),
    ]
  }

  /// One line for a log.
  var words: String {
    let place = transition.interface.map { " on \($0)" } ?? ""
    let text = "network \(transition.verdict.state)\(place): \(transition.words)"
    return escapedForPerson(text + ", endpoint \(transition.endpoint)")
  }
}

/// A way to publish alerts.
package protocol Alarm: Sendable {
  /// Publishes an alert or stores it; the next one waits until it returns.
  ///
  /// - Returns: Whether it was raised, or its failure reported; `false` if the program ends before.
  func raise(_ alert: NetworkAlert) async -> Bool

  /// Waits for pending work, but ends it at once if the task is cancelled.
  func finish() async
}

extension Alarm {
  package func finish() async {}
}
