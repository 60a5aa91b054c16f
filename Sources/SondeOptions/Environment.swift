import Glibc

/// Reads settings from environment variables.
package enum Environment {
  private static let prefix = "SONDE_"

  /// Variables that `sonde watch` and `sonde guard` set for their commands, which may run this program.
  static let givenToCommands: Set<String> = [
    "SONDE_STATE", "SONDE_CAUSE", "SONDE_INTERFACE", "SONDE_AT", "SONDE_DOWN_MS",
    "SONDE_ALERT_ID", "SONDE_ALERT_IP", "SONDE_ALERT_KEY", "SONDE_ALERT_COUNT", "SONDE_ALERT_TIME",
  ]

  /// Variables that are no settings: those for commands, and those for other parts of Sonde, the
  /// Python package and the script that makes releases.
  static let notSettings = givenToCommands.union(["SONDE_PROGRAM", "SONDE_SIGNING_KEY"])

  /// The variables of this process; the first value of a duplicate name counts.
  package static func read() -> [String: String] {
    var variables: [String: String] = [:]
    var index = 0
    while let entry = unsafe environ[index] {
      index += 1
      let text = unsafe String(cString: entry)
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(text[..<equals])
      guard variables[name] == nil else { continue }
      variables[name] = String(text[text.utf8.index(after: equals)...])
    }
    return variables
  }

  /// The settings among the variables; an empty variable counts as unset.
  ///
  /// - Throws: ``UsageError`` for an unknown name that begins with `SONDE_`.
  static func assignments(
    in variables: [String: String]
  ) throws(UsageError) -> [Assignment] {
    let ours = variables.filter { name, value in
      name.hasPrefix(prefix) && !value.isEmpty && !notSettings.contains(name)
    }
    let settings = Setting.all.filter { $0.places.contains(.environment) }
    var assignments: [Assignment] = []
    // Sorted, so that the same error is always reported first.
    for (name, value) in ours.sorted(by: { $0.key < $1.key }) {
      guard let setting = settings.first(where: { $0.variable == name }) else {
        // Compared without the common prefix, which would make any two names similar.
        let known = settings.map { String($0.variable.dropFirst(prefix.count)) }
        let meant = nearest(to: name.dropFirst(prefix.count), among: known)
          .map { "; did you mean '\(prefix)\($0)'?" }
        throw UsageError("unknown environment variable \(quoted(name))\(meant ?? "")")
      }
      let origin = Origin(spelling: name)
      let values =
        setting.value.splitsAtBlanks ? value.split { " \t\n".contains($0) } : [value[...]]
      for value in values {
        assignments.append(Assignment(setting: setting, text: String(value), origin: origin))
      }
    }
    return assignments
  }
}

/// Whether the first non-empty variable of the locale implies Unicode (POSIX.1-2024, XBD §8.2).
package func hasUnicode(_ environment: [String: String]) -> Bool {
  let values = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
  guard let locale = values.first(where: { !$0.isEmpty })?.lowercased() else { return false }
  return locale.contains("utf-8") || locale.contains("utf8")
}
