/// A configuration file as it was found: what it holds and who can read it.
struct ConfigurationFile: Sendable, Equatable {
  /// What the file system says of a file, as in `stat(2)`.
  struct Facts: Sendable, Equatable {
    /// The permission bits.
    let mode: UInt32
    let owner: UInt32
    /// The user this program runs as.
    let user: UInt32

    /// Whether its owner is the user, and nobody else has any right to it.
    var isPrivate: Bool { mode & 0o077 == 0 && owner == user }
  }

  enum Contents: Sendable, Equatable {
    case bytes([UInt8], Facts)
    /// It is there and cannot be read, for this reason.
    case unreadable(String)
  }

  let path: String
  let contents: Contents

  /// Where the files lie, the one that wins first: the user's, if there is a home, then the system's.
  static func paths(in environment: [String: String]) -> [String] {
    [usersPath(in: environment), systemPath].compactMap(\.self)
  }

  /// The settings of the machine, which each user's own replace.
  private static let systemPath = "/etc/sonde/config"

  /// A relative `XDG_CONFIG_HOME` is ignored, as the XDG Base Directory Specification asks.
  private static func usersPath(in environment: [String: String]) -> String? {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      return base + "/sonde/config"
    }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home + "/.config/sonde/config"
  }

  /// The settings of the file, in its order.
  ///
  /// A line is `name = value`. A `#` at the start of a line or after white space begins a comment.
  /// - Throws: ``UsageError`` for a line that is not a setting, an unknown name, or a key in a file that
  ///   others can read.
  func assignments() throws(UsageError) -> [Assignment] {
    switch contents {
    case .unreadable(let reason):
      throw UsageError("\(path): \(reason)")
    case .bytes(let bytes, let facts):
      let assignments = try assignments(in: bytes)
      if assignments.contains(where: \.setting.isSecret), !facts.isPrivate {
        throw UsageError("\(path): it holds a key and \(exposure(facts))")
      }
      return assignments
    }
  }

  private func exposure(_ facts: Facts) -> String {
    facts.owner == facts.user
      ? "can be read by others; run: chmod 600 \(path)"
      : "belongs to another user; make it your own (chown), then run: chmod 600 \(path)"
  }

  private func assignments(in bytes: [UInt8]) throws(UsageError) -> [Assignment] {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var assignments: [Assignment] = []
    for (index, line) in lines.enumerated() {
      let place = "\(path):\(index + 1): "
      if let assignment = try assignment(in: line, place: place) { assignments.append(assignment) }
    }
    return assignments
  }

  private func assignment(
    in line: ArraySlice<UInt8>,
    place: String
  ) throws(UsageError) -> Assignment? {
    guard let text = String(validating: line, as: UTF8.self), !text.utf8.contains(0) else {
      throw UsageError("\(place)this line is not UTF-8 text")
    }
    let content = trimmed(withoutComment(text))
    guard !content.isEmpty else { return nil }
    guard let equals = content.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw UsageError("\(place)expected 'name = value'")
    }
    let name = trimmed(content[..<equals])
    let value = trimmed(content[content.utf8.index(after: equals)...])
    let setting = try setting(named: name, place: place)
    return Assignment(
      setting: setting,
      text: String(value),
      spelling: setting.name,
      place: place
    )
  }

  private func setting(named name: Substring, place: String) throws(UsageError) -> Setting {
    if let setting = Setting.named(name) {
      guard setting.places.contains(.file) else {
        let right = setting.places.contains(.environment) ? setting.variable : setting.option
        throw UsageError("\(place)\(quoted(name)) is not set in this file; use \(right)")
      }
      return setting
    }
    let known = Setting.all.filter { $0.places.contains(.file) }.map(\.name)
    let meant = suggestion(for: name.drop { $0 == "-" }, among: known)
    throw UsageError("\(place)unknown name \(quoted(name))\(meant)")
  }
}

/// The line up to a `#` that starts it or follows white space.
private func withoutComment(_ line: String) -> Substring {
  var isAfterSpace = true
  for index in line.utf8.indices {
    let byte = line.utf8[index]
    if byte == UInt8(ascii: "#"), isAfterSpace { return line[..<index] }
    isAfterSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
  return line[...]
}
