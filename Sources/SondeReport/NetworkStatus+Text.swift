import SondeAsking
package import SondeDatabases
package import SondeReachability
package import SondeRecords
import SondeSystem

extension NetworkStatus {
  /// The same as ``json``, with the databases that `local` reads.
  package func json(with databases: [LocalDatabases.Build]) -> JSONObject {
    var object = json
    let objects = databases.map { build in
      var object = JSONObject()
      object.add("name", build.name)
      object.add("path", build.path)
      object.add("built", build.day)
      return object
    }
    object.add("databases", objects: objects)
    return object
  }

  /// A line for each layer, each failing source, and each database that `local` reads.
  package func text(
    with databases: [LocalDatabases.Build] = [],
    colored: Bool,
    width: Int = .max
  ) -> String {
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
    let local = databases.map { build in
      let words = "\(build.name), built on \(build.day)"
      return padded("database", 21)
        + wrapped(escapedForPerson(words), width: width, indent: (21, 21))
    }
    return (rows + notes + local).joined(separator: "\n") + "\n"
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
