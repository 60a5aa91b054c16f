import Reachability
import Records
import Scanner

extension NetworkEvent {
  /// The event as a line for a person: when, what, where, and why or for how long.
  func text(colored: Bool) -> String {
    switch self {
    case .network(let transition):
      let color = transition.verdict.isOnline ? "32" : "31"
      let state = column(transition.verdict.state, 9)
      return [
        Timestamp(milliseconds: transition.began.wall.milliseconds).withMilliseconds,
        colored ? "\u{1b}[\(color)m\(state)\u{1b}[0m" : state,
        column(transition.interface ?? "-", 8), transition.words,
      ].joined(separator: "  ")
    case .interface(let change):
      return [
        Timestamp(milliseconds: change.at.wall.milliseconds).withMilliseconds,
        "interface", column(change.interface.name, 8), change.words,
      ].joined(separator: "  ")
    }
  }
}

private func column(_ text: String, _ width: Int) -> String {
  let shown = escapedForPerson(text)
  return shown + String(repeating: " ", count: max(0, width - shown.count))
}

extension InterfaceChange {
  fileprivate var words: String {
    guard !isGone else { return "gone" }
    let addresses = interface.addresses.map(\.description)
    return linkWords + ", "
      + (addresses.isEmpty ? "no address" : addresses.joined(separator: ", "))
  }

  private var linkWords: String {
    guard interface.isUp else { return "set down" }
    return switch interface.link {
    case .connected: "up and connected"
    case .disconnected: interface.isWireless ? "up, not associated" : "up, no carrier"
    case .unknown, .notApplicable: interface.isRunning ? "up" : "up, not running"
    }
  }
}
