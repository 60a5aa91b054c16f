/// How a service reads a text, and how much of it.
enum Markup: Sendable {
  /// Nothing is special.
  case plain
  /// Slack's entities: `&`, `<` and `>` (https://api.slack.com/reference/surfaces/formatting,
  /// "Escaping text").
  case slack
  /// Markdown: a backslash before an ASCII sign makes it a sign (CommonMark 0.31.2 §2.4).
  case markdown

  /// What a service counts for its limit.
  enum Unit: Sendable {
    /// Bytes in UTF-8.
    case bytes
    /// Units of UTF-16; of characters, no service counts more.
    case units
  }

  /// Escapes a line, and cuts it with `…` where the escaped one would exceed a limit.
  ///
  /// No character and no escape is cut apart.
  func escaped(_ line: String, atMost limit: Int = .max, _ unit: Unit = .units) -> String {
    let size: (String) -> Int = { unit == .bytes ? $0.utf8.count : $0.utf16.count }
    var (pieces, used): ([String], Int) = ([], 0)
    for character in line {
      let piece = escaped(character, isFirst: pieces.isEmpty)
      pieces.append(piece)
      used += size(piece)
      guard used > limit else { continue }
      while used + size("…") > limit, let last = pieces.popLast() { used -= size(last) }
      return pieces.joined() + "…"
    }
    return pieces.joined()
  }

  /// Escapes a character by its scalars, since an accent after `<` makes it no other sign.
  private func escaped(_ character: Character, isFirst: Bool) -> String {
    guard self != .plain else { return String(character) }
    return character.unicodeScalars.map { scalar in
      switch (self, scalar) {
      case (.slack, "&"): "&amp;"
      case (.slack, "<"): "&lt;"
      case (.slack, ">"): "&gt;"
      case (.markdown, _): Self.isMarkdown(scalar, isFirst: isFirst) ? "\\\(scalar)" : "\(scalar)"
      default: "\(scalar)"
      }
    }.joined()
  }

  /// Whether a character may begin markup: Discord's, or that of an Adaptive Card, which also has
  /// functions in braces.
  private static func isMarkdown(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
    let signs = "\\`*_~|<>[]{}#" + (isFirst ? "-+" : "")
    return signs.unicodeScalars.contains(scalar)
  }
}
