import SondeRecords

/// Puts the texts of help into lines.
package struct HelpLayout {
  /// A row: a term on the left, its explanation on the right.
  package struct Row {
    package let left: String
    package let right: String
  }

  /// The widest line, in columns; but a line to be copied, as of an example, is never broken.
  package var width = 80

  /// Makes one of its parts.
  package init(width: Int = 80) {
    self.width = width
  }

  /// The widest term that explanations stand beside; they begin below a wider one.
  private var widestLeft: Int { width < 64 ? 6 : 26 }

  /// Joins the sections that are not empty with a blank line between them.
  func sections(_ sections: [String]) -> String {
    sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// The column where the explanations of these rows begin.
  func column(for rows: [Row]) -> Int {
    // Where they all begin below, they stand clear of the terms.
    2 + (rows.map(\.left.count).filter { $0 <= widestLeft }.max() ?? 6) + 2
  }

  /// A heading over rows in two columns; empty without rows.
  ///
  /// - Parameters:
  ///   - heading: The heading, without its colon.
  ///   - rows: The rows.
  ///   - column: Where the explanations begin; `nil` for as far left as these rows allow.
  /// - Returns: The lines, without a line end after the last.
  func section(_ heading: String, _ rows: [Row], column: Int? = nil) -> String {
    guard !rows.isEmpty else { return "" }
    let column = column ?? self.column(for: rows)
    let lines = rows.map { row in
      let right = wrap(row.right, indent: column)
      let left = "  " + row.left
      guard left.count + 2 <= column else { return left + "\n" + right }
      return left + right.dropFirst(left.count)
    }
    return "\(heading):\n" + lines.joined(separator: "\n")
  }

  /// Breaks a text at its spaces, every line being indented; no-break spaces become plain ones.
  func wrap(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return margin
      + wrapped(text, width: width, indent: (indent, indent))
      .split(separator: "\u{a0}", omittingEmptySubsequences: false).joined(separator: " ")
  }
}
