import Records

/// Breaks a text at its spaces into lines; a word that is wider than a line stays whole.
///
/// - Parameters:
///   - text: What is to be shown, without control characters.
///   - width: The columns of a line.
///   - indent: The blanks that stand before the first line already, and those put before the
///     others.
/// - Returns: The lines, without a line end after the last.
func wrapped(_ text: String, width: Int, indent: (first: Int, others: Int)) -> String {
  let margin = "\n" + String(repeating: " ", count: indent.others)
  var (lines, column) = ("", indent.first)
  for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
    let columns = columnsForPerson(String(word))
    if index == 0 {
      lines += word
      column += columns
    } else if column + 1 + columns <= width {
      lines += " \(word)"
      column += 1 + columns
    } else {
      lines += margin + word
      column = indent.others + columns
    }
  }
  return lines
}
