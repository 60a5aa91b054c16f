import Reachability
import Records

extension NetworkStatus {
  /// One JSON object, for scripts.
  var json: String {
    var object = JSONObject()
    object.add("state", state?.verdict.state ?? "offline")
    if let cause = state?.verdict.cause { object.add("cause", cause.rawValue) }
    if let interface = state?.interface { object.add("interface", interface) }
    object.add("endpoint", endpoint)
    object.add("layers", objects: layers.map(\.json))
    object.add("interfaces", objects: interfaces.map(\.json))
    if !degradations.isEmpty { object.add("degraded", degradations.map(\.words)) }
    return String(decoding: object.line, as: UTF8.self)
  }

  /// A line for each layer, and one for each source that fails.
  func text(colored: Bool, width: Int = .max) -> String {
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

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension NetworkStatus.Layer {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("name", name.rawValue)
    object.add("state", condition.rawValue)
    object.add("message", words)
    return object
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

extension Interface {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    addState(to: &object)
    object.add("kind", kind.rawValue)
    object.add("counts", !kind.isVirtual)
    return object
  }
}
