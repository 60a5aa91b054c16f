package import SondeRecords

/// Splits a row of delimited values, whose line may end in `\n` or `\r\n`.
///
/// As in most readers of CSV (RFC 4180), a quote inside a field that does not begin with one is an
/// ordinary character, like any text after the closing quote of a field.
package struct DelimitedRow {
  /// The result of reading a row.
  package enum Outcome {
    case whole
    /// The row is incomplete.
    case more
    /// The input ends within quotes.
    case unclosed
  }

  private let delimiter: Format.Delimiter
  /// The indices of the required fields, in ascending order; `nil` for all.
  private let wanted: [Int]?

  /// The number of fields.
  package private(set) var count = 0
  /// The ranges of the required fields that exist, including quotes.
  package private(set) var fields: [Range<Int>] = []
  /// The position after the last field.
  package private(set) var bodyEnd = 0
  /// The position after the line's end.
  package private(set) var end = 0
  /// Whether a line feed ends it, not the end of the text.
  package private(set) var isEnded = false
  /// Whether all quotes are closed.
  package private(set) var isClosed = true

  package init(_ delimiter: Format.Delimiter) { (self.delimiter, wanted) = (delimiter, nil) }

  /// Reads rows whose fields may be quoted.
  package init(delimiter: UInt8, wanted: [Int]? = nil) {
    self.delimiter = Format.Delimiter(byte: delimiter, isQuoted: true)
    self.wanted = wanted
  }

  /// Reads the row that begins at `start`; the properties are valid for a complete row only.
  package mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool) -> Outcome {
    read(bytes, from: start)
    if isEnded { return .whole }
    guard isLast else { return .more }
    return isClosed ? .whole : .unclosed
  }

  /// Reads the row that begins at `start`, as if the input ended with `text`.
  package mutating func read(_ text: Span<UInt8>, from start: Int) {
    fields.removeAll(keepingCapacity: true)
    (count, isClosed) = (0, true)
    let byte = delimiter.byte
    var field = start
    while true {
      var position = field
      if delimiter.isQuoted, position < text.count, text[position] == UInt8(ascii: "\"") {
        if let behind = text.endOfQuotes(from: position &+ 1) {
          position = behind
        } else {
          (position, isClosed) = (text.count, false)
        }
      }
      position = text.firstIndex(of: byte, or: 0x0a, from: position)
      if position < text.count, text[position] == byte {
        take(field..<position)
        field = position &+ 1
        continue
      }
      isEnded = position < text.count
      end = isEnded ? position &+ 1 : position
      let hasReturn = isClosed && position > field && text[position &- 1] == 0x0d
      bodyEnd = hasReturn ? position &- 1 : position
      return take(field..<bodyEnd)
    }
  }

  @inline(__always)
  private mutating func take(_ field: Range<Int>) {
    if let wanted {
      if fields.count < wanted.count, wanted[fields.count] == count { fields.append(field) }
    } else {
      fields.append(field)
    }
    count &+= 1
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

extension Span<UInt8> {
  /// The position after the closing quote; two quotes stand for one.
  ///
  /// - Returns: `nil` if the text ends before.
  @inline(__always)
  fileprivate func endOfQuotes(from start: Int) -> Int? {
    var position = start
    while true {
      position = firstIndex(of: UInt8(ascii: "\""), or: UInt8(ascii: "\""), from: position)
      guard position < count else { return nil }
      position &+= 1
      guard position < count, self[position] == UInt8(ascii: "\"") else { return position }
      position &+= 1
    }
  }
}
