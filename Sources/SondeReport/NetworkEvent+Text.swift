import SondeAsking
import SondeReachability
import SondeRecords
import SondeSystem

extension NetworkEvent {
  /// The event as text: time, state, interface, and cause or duration.
  ///
  /// Lines longer than `width` columns are wrapped below their text; the last has no line end.
  package func text(colored: Bool, width: Int = .max) -> String {
    switch self {
    case .network(let transition):
      EventLine(
        moment: transition.began.wall.milliseconds,
        state: transition.verdict.state,
        color: colored ? transition.verdict.color : nil,
        interface: transition.interface ?? "-",
        words: transition.words
      ).text(width: width)
    case .endpoint(let transition):
      EventLine(
        moment: transition.began.wall.milliseconds,
        state: "endpoint",
        interface: transition.interface ?? "-",
        words: "\(transition.endpoint) \(transition.verdict.state): \(transition.words)"
      ).text(width: width)
    case .interface(let change):
      EventLine(
        moment: change.at.wall.milliseconds,
        state: "interface",
        interface: change.interface.name,
        words: change.words
      ).text(width: width)
    }
  }
}

extension Verdict {
  /// The code of its color on a terminal.
  fileprivate var color: String {
    switch self {
    case .online: "32"
    case .degraded: "33"
    case .offline: "31"
    }
  }
}

private struct EventLine {
  /// The smallest width for text beside the other columns.
  private static let fewest = 20

  let moment: String
  let state: String
  let color: String?
  let interface: String
  let words: String

  init(moment: Int64, state: String, color: String? = nil, interface: String, words: String) {
    self.moment = Timestamp(milliseconds: moment).withMilliseconds
    (self.state, self.color) = (state, color)
    self.interface = escapedForPerson(interface)
    self.words = escapedForPerson(words)
  }

  /// In columns if they fit, otherwise one after the other.
  func text(width: Int) -> String {
    let columns = [moment, padded(state, 9), padded(interface, 8), ""].joined(separator: "  ")
    let margin = columnsForPerson(columns)
    guard width - margin >= Self.fewest else {
      let line = [moment, state, interface, words].joined(separator: " ")
      return colored(wrapped(line, width: width, indent: (0, 2)))
    }
    return colored(columns) + wrapped(words, width: width, indent: (margin, margin))
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columnsForPerson(text)))
  }

  /// The line with its state in color; the text before the state does not contain its letters.
  private func colored(_ line: String) -> String {
    guard let color, let place = line.firstRange(of: state) else { return line }
    let before = line[..<place.lowerBound]
    return before + "\u{1b}[\(color)m\(state)\u{1b}[0m" + line[place.upperBound...]
  }
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
