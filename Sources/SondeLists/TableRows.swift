import SondeAddresses
import SondeCatalog
import SondeInputs
import SondeRecords
import SondeSystem
import SondeTables

/// The rows of a delimited table.
struct TableRows {
  /// The largest size of a value in bytes, as for a provider's text.
  private static let longestValue = 1 << 10

  private let choice: TableChoice
  private let isCommas: Bool
  var row: DelimitedRow
  /// Where the networks and values are; `nil` before the first row.
  private(set) var layout: CellLayout?

  /// Recognises the delimiter in the first line.
  init(first line: Span<UInt8> = Span(), _ choice: TableChoice = TableChoice()) {
    let delimiters = [UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";")]
    let found = delimiters.first { byte in line.lastIndex(of: byte) != nil } ?? UInt8(ascii: ",")
    (self.choice, isCommas) = (choice, found == UInt8(ascii: ","))
    row = DelimitedRow(delimiter: found)
  }

  /// Recognises the layout in the current row, which is the first.
  mutating func readLayout(_ text: Span<UInt8>) throws(CellLayout.Problem) -> CellLayout {
    var cells: [String] = []
    for column in row.fields.indices {
      withValue(column, in: text) { value in
        cells.append(trimmed(value.repaired(maximum: Self.longestValue)))
      }
    }
    let layout = try CellLayout(cells, choice, isCommas: isCommas)
    self.layout = layout
    return layout
  }

  /// The ranges of the current row, and whether its ends are whole numbers.
  ///
  /// There are several only where numbers of both families are in one range.
  func ranges(
    of key: CellLayout.Key,
    in text: Span<UInt8>
  ) throws(CellLayout.Problem) -> (ranges: [AddressRange], areNumbers: Bool) {
    switch key {
    case .network(let cell):
      return ([try AddressRange(cell: text.extracting(row.content(cell, in: text)))], false)
    case .system(let cell):
      return ([try system(text.extracting(row.content(cell, in: text)))], false)
    case .range(let first, let last):
      return try AddressRange.ranges(
        from: text.extracting(row.content(first, in: text)),
        through: text.extracting(row.content(last, in: text))
      )
    }
  }

  /// The number of a system, `3320` or `AS3320`, in the place of an IPv4 address: a table of systems
  /// is one of networks of a single number each.
  private func system(_ cell: Span<UInt8>) throws(CellLayout.Problem) -> AddressRange {
    let word = trimmed(cell.repaired(maximum: 64))
    let digits = word.uppercased().hasPrefix("AS") ? word.dropFirst(2) : word[...]
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt32(digits) else {
      throw CellLayout.Problem(reason: "'\(escapedForPerson(word))' is no AS number")
    }
    return AddressRange(block: Address(ipv4: number), length: 32)
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
