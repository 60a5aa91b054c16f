import SondeRecords
import SondeSystem

/// Writes rows of a few texts and numbers, in any form of ``SummaryFormat``; JSON is one array.
public struct RowEncoding: Sendable {
  /// A column.
  public struct Column: Sendable {
    /// The name.
    public let name: String
    /// The width for people; the last column has any.
    public let width: Int
    /// Whether its values are numbers.
    public let isNumber: Bool

    /// Creates a column.
    public init(_ name: String, width: Int, isNumber: Bool = false) {
      (self.name, self.width, self.isNumber) = (name, width, isNumber)
    }
  }

  private let columns: [Column]
  private let format: SummaryFormat
  private let isForSpreadsheets: Bool
  private let style: SummaryStyle
  private var isEmpty = true

  /// Creates an encoding; ``SummaryFormat/table`` takes the width and the characters of `style`.
  public init(
    _ columns: [Column],
    as format: SummaryFormat,
    isForSpreadsheets: Bool,
    _ style: SummaryStyle
  ) {
    (self.columns, self.format) = (columns, format)
    (self.isForSpreadsheets, self.style) = (isForSpreadsheets, style)
  }

  /// What precedes all rows.
  public var header: [UInt8] {
    let names = columns.map(\.name)
    switch format {
    case .csv: return delimitedLine(names, by: ",")
    case .tsv: return delimitedLine(names, by: "\t")
    case .ndjson: return []
    case .json: return [UInt8(ascii: "[")]
    case .table:
      let line = line(names)
      return Array(((style.isColored ? "\u{1b}[1m\(line)\u{1b}[0m" : line) + "\n").utf8)
    }
  }

  /// What follows them.
  public var footer: [UInt8] {
    format == .json ? Array((isEmpty ? "]\n" : "\n]\n").utf8) : []
  }

  /// All rows of several tables, whose names are in the first column; JSON is an object with a member
  /// for each table.
  public mutating func output(of tables: [(name: String, rows: [[String]])]) -> [UInt8] {
    if format == .json {
      var all = JSONObject()
      for (name, rows) in tables { all.add(name, objects: rows.map(object)) }
      return all.line
    }
    var output = header
    for row in tables.flatMap(\.rows) { append(row, to: &output) }
    return output + footer
  }

  /// Appends a row; an empty value is a missing one.
  public mutating func append(_ values: [String], to output: inout [UInt8]) {
    switch format {
    case .csv: output += delimitedLine(values.map(cell), by: ",")
    case .tsv: output += delimitedLine(values.map(cell), by: "\t")
    case .ndjson: output += object(values).line
    case .json: output += Array((isEmpty ? "\n" : ",\n").utf8) + object(values).bytes
    case .table: output += Array((line(values) + "\n").utf8)
    }
    isEmpty = false
  }

  private func cell(_ text: String) -> String {
    isForSpreadsheets && text.utf8.first?.beginsFormula ?? false ? "'" + text : text
  }

  private func object(_ values: [String]) -> JSONObject {
    var object = JSONObject()
    for (column, value) in zip(columns, values) where !value.isEmpty {
      if column.isNumber {
        object.add(column.name, json: Array(value.utf8))
      } else {
        object.add(column.name, value)
      }
    }
    return object
  }

  private func line(_ values: [String]) -> String {
    var text = ""
    for (index, value) in values.enumerated() {
      let isLast = index == values.count - 1
      let width = isLast ? .max : max(columns[index].width, 1)
      // An address is never cut.
      let limit = columns[index].name == Field.ip.name ? .max : width
      let shown = cutForPerson(value, to: limit, isUnicode: style.isUnicode)
      let room = isLast ? 0 : max(0, width - columnsForPerson(shown))
      text += shown + String(repeating: " ", count: room) + (isLast ? "" : "  ")
    }
    while text.last == " " { text.removeLast() }
    return cutForPerson(text, to: style.width, isUnicode: style.isUnicode)
  }
}
