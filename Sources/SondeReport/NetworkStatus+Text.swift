import SondeReachability
import SondeRecords

extension NetworkStatus {
  /// A line for each layer and for each failing source.
  package func text(colored: Bool, width: Int = .max) -> String {
    let rows = layers.map { layer in
      let condition = layer.name == .verdict ? "" : layer.condition.rawValue
      let blanks = String(repeating: " ", count: max(0, 7 - condition.count))
      return padded(layer.name.rawValue, 10) + "  "
        + layer.condition.colored(condition, if: colored) + blanks + "  "
        + wrapped(escapedForPerson(layer.words), width: width, indent: (21, 21))
    }
    let notes = degradations.map {
      padded("note", 21) + wrapped($0.words, width: width, indent: (21, 21))
    }
    return (rows + notes).joined(separator: "\n") + "\n"
  }
}

extension NetworkStatus.Layer.Condition {
  fileprivate func colored(_ text: String, if isColored: Bool) -> String {
    guard isColored, !text.isEmpty else { return text }
    let code =
      switch self {
      case .ok: "32"
      case .broken: "31"
      case .unknown: "2"
      }
    return "\u{1b}[\(code)m\(text)\u{1b}[0m"
  }
}
