import SondeRecords
import SondeSystem

/// Formats the texts of help as lines.
package struct HelpLayout {
  /// A term on the left with its explanation on the right.
  package struct Row {
    package let left: String
    package let right: String
  }

  /// The maximum line length in columns; lines to copy, such as examples, are never broken.
  package var width = 80

  package init(width: Int = 80) {
    self.width = width
  }

  /// The widest term that shares a line with its explanation.
  private var widestLeft: Int { width < 64 ? 6 : 26 }

  /// Joins the sections that are not empty, separated by blank lines.
  func sections(_ sections: [String]) -> String {
    sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// The column at which the explanations of these rows begin.
  func column(for rows: [Row]) -> Int {
    // If all explanations begin below their terms, they are indented past them.
    2 + (rows.map(\.left.count).filter { $0 <= widestLeft }.max() ?? 6) + 2
  }

  /// A heading above rows in two columns; empty without rows.
  ///
  /// `column` is that of the explanations; `nil` for as far left as these rows allow.
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

  /// Breaks a text at spaces and indents every line; no-break spaces become plain ones.
  func wrap(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return margin
      + wrapped(text, width: width, indent: (indent, indent))
      .split(separator: "\u{a0}", omittingEmptySubsequences: false).joined(separator: " ")
  }
}
