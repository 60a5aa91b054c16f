package import SondeRecords

/// Splits rows of delimited values, whose lines may end in `\n` or `\r\n`.
///
/// As in most readers of CSV (RFC 4180), a quote inside a field that does not begin with one is an
/// ordinary character.
package struct DelimitedRow {
  /// The result of reading a row.
  package enum Outcome {
    case whole
    /// The row is incomplete.
    case more
    /// The input ends within quotes.
    case unclosed
  }

  /// The delimiter of values.
  let delimiter: Format.Delimiter
  /// The ranges of the fields, including quotes.
  package private(set) var fields: [Range<Int>] = []
  /// The position after the last field.
  package private(set) var bodyEnd = 0
  /// The position after the line's end.
  package private(set) var end = 0

  package init(_ delimiter: Format.Delimiter) { self.delimiter = delimiter }

  /// Reads the row that begins at `start`; the properties are valid for a complete row only.
  package mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool) -> Outcome {
    fields.removeAll(keepingCapacity: true)
    var fieldStart = start
    while true {
      var index = fieldStart
      if delimiter.isQuoted, index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
        guard let behind = Self.endOfQuotes(bytes, from: index + 1) else {
          return isLast ? .unclosed : .more
        }
        // Another quote may follow, which would make both of them part of the text.
        if behind == bytes.count, !isLast { return .more }
        index = behind
      }
      while index < bytes.count, bytes[index] != delimiter.byte, bytes[index] != 0x0a {
        index += 1
      }
      if index == bytes.count, !isLast { return .more }
      if index < bytes.count, bytes[index] == delimiter.byte {
        fields.append(fieldStart..<index)
        fieldStart = index + 1
        continue
      }
      end = min(index + 1, bytes.count)
      bodyEnd = index > fieldStart && bytes[index - 1] == 0x0d ? index - 1 : index
      fields.append(fieldStart..<bodyEnd)
      return .whole
    }
  }

  /// The position after the closing quote; two quotes stand for one.
  private static func endOfQuotes(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") {
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") else {
          return index + 1
        }
        index += 1
      }
      index += 1
    }
    return nil
  }

  /// The range between the quotes of a field, or the field itself.
  package func content(_ index: Int, in bytes: Span<UInt8>) -> Range<Int> {
    let field = fields[index]
    guard delimiter.isQuoted, field.count >= 2, bytes[field.lowerBound] == UInt8(ascii: "\""),
      bytes[field.upperBound - 1] == UInt8(ascii: "\"")
    else { return field }
    return field.lowerBound + 1..<field.upperBound - 1
  }
}
