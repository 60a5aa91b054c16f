import SondeInputs
import SondeRecords

/// The rows of a table with a header, and the column of its networks.
struct TableRows {
  struct HeaderError: Error { let reason: String }

  /// The default names of the column with networks; the first that exists is used.
  static let usualKeys = ["network", "cidr", "prefix", "subnet", "ip"]
  /// The largest number of columns, as in databases (https://www.sqlite.org/limits.html, 2).
  private static let mostColumns = 1_000
  /// The largest size of a value in bytes, as for a provider's text.
  private static let longestValue = 1 << 10

  var row: DelimitedRow
  /// The column of the networks; `nil` before the header is read.
  private(set) var key: Int?
  /// The number of columns, including that one.
  private(set) var count = 0

  /// Creates rows before their header is known.
  init() { row = DelimitedRow(delimiter: UInt8(ascii: ",")) }

  /// Recognises the delimiter in the header line.
  init(header: Span<UInt8>) {
    let delimiters = [UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";")]
    let found = delimiters.first { byte in header.lastIndex(of: byte) != nil }
    row = DelimitedRow(delimiter: found ?? UInt8(ascii: ","))
  }

  /// Finds the column of the networks in the current row; returns the names of the others.
  mutating func readHeader(_ text: Span<UInt8>, key: String?) throws(HeaderError) -> [String] {
    var names: [String] = []
    for column in row.fields.indices {
      withValue(column, in: text) { value in
        names.append(trimmed(value.repaired(maximum: Self.longestValue)))
      }
    }
    let lowercase = names.map { $0.lowercased() }
    let wanted = key.map { [$0.lowercased()] } ?? Self.usualKeys
    guard let name = wanted.first(where: lowercase.contains) else {
      throw HeaderError(reason: Self.missing(key, names))
    }
    guard names.count <= Self.mostColumns else {
      throw HeaderError(reason: "has more than \(Self.mostColumns) columns")
    }
    let index = lowercase.firstIndex(of: name)
    var taken: Set<String> = ["network"]
    for (column, name) in lowercase.enumerated() where column != index {
      if let reason = Self.flaw(of: name, column + 1, isTaken: !taken.insert(name).inserted) {
        throw HeaderError(reason: reason)
      }
    }
    (self.key, count) = (index, names.count)
    return names.indices.filter { $0 != index }.map { names[$0] }
  }

  private static func missing(_ key: String?, _ names: [String]) -> String {
    let list = names.prefix(20).map { "'\(escapedForPerson($0))'" }.joined(separator: ", ")
    if let key { return "has no column '\(escapedForPerson(key))'; its columns are \(list)" }
    return "is neither a network nor a header with \(usualKeys.joined(separator: ", ")): "
      + "name the column of the networks, as in own=FILE,key=COLUMN (there are \(list))"
  }

  private static func flaw(of name: String, _ column: Int, isTaken: Bool) -> String? {
    if name.isEmpty { return "the column \(column) has no name" }
    let hasWhite = name.unicodeScalars.contains { "\t\n\r".unicodeScalars.contains($0) }
    if hasWhite || Array(name.utf8).span.hasControls {
      return "the name of the column \(column) has a control character"
    }
    // Names that only differ in case would be the same column in a database.
    return isTaken ? "the column '\(escapedForPerson(name))' would stand there twice" : nil
  }

  /// Passes a value of the current row, as valid UTF-8 of limited length.
  func withValue<Result>(
    _ column: Int,
    in text: Span<UInt8>,
    _ body: (Span<UInt8>) -> Result
  ) -> Result {
    let field = row.fields[column]
    let content = row.content(column, in: text)
    let value = text.extracting(content)
    let isQuoted = content.count < field.count
    let hasQuote = isQuoted && value.lastIndex(of: UInt8(ascii: "\"")) != nil
    if !hasQuote, value.count <= Self.longestValue, (try? UTF8Span(validating: value)) != nil {
      return body(value)
    }
    var bytes: [UInt8] = []
    var isSecond = false
    for index in value.indices {
      let isQuote = hasQuote && value[index] == UInt8(ascii: "\"")
      isSecond = isQuote && !isSecond
      // Two quotes stand for one.
      if !isQuote || isSecond { bytes.append(value[index]) }
    }
    return body(Array(bytes.span.repaired(maximum: Self.longestValue).utf8).span)
  }

  private func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
