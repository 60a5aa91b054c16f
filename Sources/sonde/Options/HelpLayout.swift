import Records

extension Help {
  /// A row: a term on the left, its explanation on the right.
  struct Row {
    let left: String
    let right: String
  }

  /// The widest line, in columns.
  private static let width = 80

  /// The widest term that explanations stand beside; they begin below a wider one.
  private static let widestLeft = 26

  /// Joins the sections that are not empty with a blank line between them.
  static func sections(_ sections: [String]) -> String {
    sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// The column where the explanations of these rows begin.
  static func column(for rows: [Row]) -> Int {
    2 + (rows.map(\.left.count).filter { $0 <= widestLeft }.max() ?? 0) + 2
  }

  /// A heading over rows in two columns; empty without rows.
  ///
  /// - Parameters:
  ///   - heading: The heading, without its colon.
  ///   - rows: The rows.
  ///   - column: Where the explanations begin; `nil` for as far left as these rows allow.
  /// - Returns: The lines, without a line end after the last.
  static func section(_ heading: String, _ rows: [Row], column: Int? = nil) -> String {
    guard !rows.isEmpty else { return "" }
    let column = column ?? Self.column(for: rows)
    let lines = rows.map { row in
      let right = wrap(row.right, indent: column)
      let left = "  " + row.left
      guard left.count + 2 <= column else { return left + "\n" + right }
      return left + right.dropFirst(left.count)
    }
    return "\(heading):\n" + lines.joined(separator: "\n")
  }

  /// Breaks a text at its spaces, every line being indented; no-break spaces become plain ones.
  static func wrap(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return margin
      + wrapped(text, width: width, indent: (indent, indent))
      .split(separator: "\u{a0}", omittingEmptySubsequences: false).joined(separator: " ")
  }

  /// The text with no-break spaces if it is short enough to stay on one line.
  static func unbroken(_ text: String) -> String {
    guard text.count <= widestLeft else { return text }
    return text.split(separator: " ").joined(separator: "\u{a0}")
  }
}
