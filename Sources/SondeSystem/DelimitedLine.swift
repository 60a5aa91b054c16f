/// A line of CSV (RFC 4180) or, separated by a tab, of TSV, with its line feed.
///
/// In TSV, tab, newline, return and backslash are written as `\t`, `\n`, `\r` and `\\`.
package func delimitedLine(_ values: [String], by separator: Character) -> [UInt8] {
  let write = separator == "," ? quotedCell : escapedCell
  return Array((values.map(write).joined(separator: String(separator)) + "\n").utf8)
}

/// A value of CSV, quoted if necessary.
private func quotedCell(_ text: String) -> String {
  let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
  guard text.unicodeScalars.contains(where: special.contains) else { return text }
  return "\""
    + text.split(separator: "\"", omittingEmptySubsequences: false)
    .joined(separator: "\"\"") + "\""
}

private func escapedCell(_ text: String) -> String {
  var output = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\t": output += "\\t"
    case "\n": output += "\\n"
    case "\r": output += "\\r"
    case "\\": output += "\\\\"
    default: output.unicodeScalars.append(scalar)
    }
  }
  return output
}
