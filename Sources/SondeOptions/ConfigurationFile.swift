/// A configuration file: its contents and who can read it.
package struct ConfigurationFile: Sendable, Equatable {
  /// The owner of its settings, which decides who may read the keys in it.
  enum Kind: Sendable, Equatable {
    /// The user's own, which nobody else may read or write.
    case user
    /// The machine's: owned by root and readable by a group that root chooses.
    case system
    /// The machine's, passed to a service by systemd (systemd.exec(5), "CREDENTIALS").
    case credential
  }

  /// The permissions and owner of a file, as in `stat(2)`.
  struct Facts: Sendable, Equatable {
    let mode: UInt32
    let owner: UInt32
    /// The user that this program runs as.
    let user: UInt32
  }

  enum Contents: Sendable, Equatable {
    case bytes([UInt8], Facts)
    case unreadable(String)
    /// It is the machine's and this user may not read it, for this reason.
    case forbidden(String)
  }

  let path: String
  var kind = Kind.user
  let contents: Contents

  /// The machine's settings, which those of each user override.
  static let systemPath = "/etc/sonde/config"

  /// Where systemd puts the machine's settings for a service that loads them; `nil` elsewhere.
  static func credentialPath(in environment: [String: String]) -> String? {
    environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 + "/config" : nil }
  }

  /// The user's file; the XDG Base Directory Specification excludes a relative `XDG_CONFIG_HOME`.
  static func usersPath(in environment: [String: String]) -> String? {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      return base + "/sonde/config"
    }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home + "/.config/sonde/config"
  }

  /// The settings of the file, in its order.
  ///
  /// A line is `name = value`. A `#` at the start of a line or after white space begins a comment.
  ///
  /// - Throws: ``UsageError`` for a line that is not a setting, an unknown name, a repeated name
  ///   that takes one value, or a key in a file that others can read.
  func assignments() throws(UsageError) -> [Assignment] {
    switch contents {
    case .unreadable(let reason):
      throw UsageError("\(path): \(reason)")
    case .forbidden(let reason):
      throw UsageError(
        "\(path): \(reason); for a group that may read it, let root run: "
          + "chgrp GROUP \(path) && chmod 0640 \(path)"
      )
    case .bytes(let bytes, let facts):
      let assignments = try assignments(in: bytes)
      if assignments.contains(where: \.setting.isSecret), let exposure = exposure(facts) {
        throw UsageError("\(path): it holds a key and \(exposure)")
      }
      return assignments
    }
  }

  /// Why keys are not safe in the file and how to fix that; `nil` if they are safe.
  private func exposure(_ facts: Facts) -> String? {
    let isOwn = facts.owner == facts.user
    let isRoots = facts.owner == 0
    let (owner, others): (String?, UInt32) =
      switch kind {
      case .user: (isOwn ? nil : "another user; make it your own (chown)", 0o077)
      case .system: (isRoots ? nil : "another user than root; give it to root (chown)", 0o027)
      case .credential: (isOwn || isRoots ? nil : "another user than root", 0o027)
      }
    if let owner { return "belongs to \(owner), then run: chmod 600 \(path)" }
    guard facts.mode & others != 0 else { return nil }
    let isRead = facts.mode & 0o007 != 0 || kind == .user
    return "can be \(isRead ? "read" : "changed") by others; run: chmod 600 \(path)"
  }

  private func assignments(in bytes: [UInt8]) throws(UsageError) -> [Assignment] {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var assignments: [Assignment] = []
    // The first line of each name, counted from 1.
    var first: [String: Int] = [:]
    for (index, line) in lines.enumerated() {
      let place = "\(path):\(index + 1): "
      guard let assignment = try assignment(in: line, place: place) else { continue }
      let setting = assignment.setting
      if let earlier = first[setting.name], !setting.isRepeatable {
        let advice = setting.insteadOfTwice.map { ": \($0)" } ?? ""
        throw UsageError(
          "\(assignment.origin) stands in line \(earlier) already, and takes one value\(advice)"
        )
      }
      first[setting.name] = first[setting.name] ?? index + 1
      assignments.append(assignment)
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
    let origin = Origin(spelling: setting.name, place: place)
    return Assignment(setting: setting, text: String(value), origin: origin)
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

/// The line up to a `#` at its start or after white space.
private func withoutComment(_ line: String) -> Substring {
  var isAfterSpace = true
  for index in line.utf8.indices {
    let byte = line.utf8[index]
    if byte == UInt8(ascii: "#"), isAfterSpace { return line[..<index] }
    isAfterSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
  return line[...]
}
