import Reachability
import Records

/// A change of the network's state that somebody wants to hear of.
struct NetworkAlert: Sendable {
  private let transition: NetworkTransition

  /// Makes an alert; `nil` for the one change that is none: that all is well at the start.
  init?(_ transition: NetworkTransition) {
    guard !transition.verdict.isOnline || transition.previous != nil else { return nil }
    self.transition = transition
  }

  /// Whether the network is there.
  var isOnline: Bool { transition.verdict.isOnline }

  /// The `network` event, one JSON object.
  var event: [UInt8] { transition.event.bytes }

  /// What a command is given in its environment; what there is nothing to say of is empty.
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
protocol Alarm: Sendable {
  /// Makes one alert known, or keeps it; the next one waits until it returns.
  ///
  /// - Returns: Whether it was taken care of, be it in vain, and that told; not where the program
  ///   ends before.
  func raise(_ alert: NetworkAlert) async -> Bool

  /// Ends what is still under way, at once where the task is cancelled.
  func finish() async
}

extension Alarm {
  func finish() async {}
}
