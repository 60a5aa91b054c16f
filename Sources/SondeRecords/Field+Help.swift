extension Field {
  /// The lines of `--fields help`: all columns with type and description, and those of `--with`.
  public static func help(sources: [String], added: [(name: String, columns: [String])]) -> String {
    let rows = allCases.map { field in
      let name = padded(field.name, to: 16)
      let type = padded(field.row.value.type, to: 9)
      return "  \(name)\(type)\(field.row.note)"
        + (field == .source ? sources.joined(separator: ", ") : "")
    }
    let usual = rows.prefix(standard.count).joined(separator: "\n")
    let others = rows.dropFirst(standard.count).joined(separator: "\n")
    let more = added.map { "  \(padded($0.name, to: 16))\($0.columns.joined(separator: ", "))" }
      .joined(separator: "\n")
    return """
      The columns, in their order:
      \(usual)

      Only when asked for:
      \(others)

      Only with --with, behind all others:
      \(more)

      --fields ip,country,asn picks columns and orders them; --fields +proxy,+network adds to the
      usual ones.

      """
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 1))
  }
}
