extension Field {
  /// The lines of `--fields help`: all columns with type and description, and those of `--with`.
  public static func help(sources: [String], added: [(name: String, columns: [String])]) -> String {
    let width = 2 + (allCases.map(\.name.count).max() ?? 0)
    let rows = allCases.map { field in
      let name = padded(field.name, to: width)
      return "  \(name)\(padded(field.type.rawValue, to: 9))\(field.note(sources))"
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

  /// The columns as a JSON array, an object each: those of every run, then `added` ones.
  public static func description(sources: [String], added: [AddedColumn]) -> [UInt8] {
    let usual = Set(standard)
    let objects = (allCases + added.map(Field.added)).map { field in
      var object = JSONObject()
      object.add("name", field.name)
      object.add("type", field.type.rawValue)
      object.add("nullable", field != .ip && field != .status)
      object.add("default", usual.contains(field) || field.isAdded)
      object.add("about", field.note(sources))
      return object.bytes
    }
    return Array("[\n".utf8) + objects.joined(separator: Array(",\n".utf8)) + Array("\n]\n".utf8)
  }

  /// What the column contains; `sources` are the names of all that can answer.
  private func note(_ sources: [String]) -> String {
    row.note + (self == .source ? sources.joined(separator: ", ") : "")
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 1))
  }
}
