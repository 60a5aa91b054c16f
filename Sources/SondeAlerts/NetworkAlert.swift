import SondeAsking
package import SondeReachability
import SondeRecords
import SondeSystem

/// A change of the network's state that somebody wants to hear of.
package struct NetworkAlert: Sendable {
  private let transition: NetworkTransition

  /// Makes an alert; `nil` for being online at the start, which is no reason for one.
  package init?(_ transition: NetworkTransition) {
    guard !transition.verdict.isOnline || transition.previous != nil else { return nil }
    self.transition = transition
  }

  /// Whether the network is there.
  var isOnline: Bool { transition.verdict.isOnline }

  /// The `network` event, one JSON object.
  var event: [UInt8] { transition.event.bytes }

  /// The variables in a command's environment; empty where there is nothing to say.
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

/// Something that makes an alert known.
package protocol Alarm: Sendable {
  /// Makes one alert known, or keeps it; the next one waits until it returns.
  ///
  /// - Returns: Whether it was raised, or its failure was told; `false` where the program ends before.
  func raise(_ alert: NetworkAlert) async -> Bool

  /// Waits for what is still under way, and ends it at once where the task is cancelled.
  func finish() async
}

extension Alarm {
  package func finish() async {}
}
