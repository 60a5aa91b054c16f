import SondeAsking
import SondeReachability
import SondeRecords
import SondeSystem

extension NetworkEvent {
  /// The event for a person: when, what, where, and why or for how long.
  ///
  /// - Parameters:
  ///   - colored: Whether the state has a color.
  ///   - width: The columns of a line; what is longer is continued below its words.
  /// - Returns: The lines, without a line end after the last.
  package func text(colored: Bool, width: Int = .max) -> String {
    switch self {
    case .network(let transition):
      EventLine(
        moment: transition.began.wall.milliseconds,
        state: transition.verdict.state,
        color: !colored ? nil : transition.verdict.isOnline ? "32" : "31",
        interface: transition.interface ?? "-",
        words: transition.words
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

/// The columns of an event.
private struct EventLine {
  /// The fewest columns that words are laid out in beside the other columns.
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

  /// In columns where there is room for them, else one after the other.
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

  /// The line with its state in color; what stands before that has no letters of it.
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
