import SondeInputs

/// The first row of a table: its delimiter, and the names of its columns.
struct Header: Equatable {
  /// The delimiters, in order of preference if they are equally frequent in the header.
  private static let usualDelimiters = Array("\t,;".utf8)

  let delimiter: UInt8
  /// The names of the columns, without quotes.
  let names: [[UInt8]]
  /// The position after the last name.
  let bodyEnd: Int
  /// The position after the line's end.
  let end: Int
  /// Whether all quotes are closed.
  let isClosed: Bool

  /// Parses the header, and detects a missing `delimiter`; `nil` if the header is incomplete.
  init?(_ text: Span<UInt8>, from start: Int, delimiter: UInt8?, isLast: Bool) {
    guard let delimiter = delimiter ?? Self.delimiter(text, from: start, isLast: isLast) else {
      return nil
    }
    var row = DelimitedRow(delimiter: delimiter)
    row.read(text, from: start)
    guard row.isEnded || isLast else { return nil }
    self.delimiter = delimiter
    names = row.fields.map { text.meaning(ofCell: $0) }
    (bodyEnd, end, isClosed) = (row.bodyEnd, row.end, row.isClosed)
  }

  /// The state of the header's parser.
  private enum Place {
    case beginOfCell, inCell, inQuotes
    /// After a closing quote, unless another one follows.
    case behindQuote
  }

  /// The most frequent delimiter outside quotes; a comma if there is none.
  private static func delimiter(_ text: Span<UInt8>, from start: Int, isLast: Bool) -> UInt8? {
    var counts = usualDelimiters.map { _ in 0 }
    var place = Place.beginOfCell
    for index in start..<text.count {
      let byte = text[index]
      let isQuote = byte == UInt8(ascii: "\"")
      if place == .inQuotes {
        place = isQuote ? .behindQuote : .inQuotes
      } else if isQuote, place != .inCell {
        place = .inQuotes
      } else {
        if byte == 0x0a { return mostFrequent(counts) }
        let kind = usualDelimiters.firstIndex(of: byte)
        if let kind { counts[kind] += 1 }
        place = kind == nil ? .inCell : .beginOfCell
      }
    }
    return isLast ? mostFrequent(counts) : nil
  }

  private static func mostFrequent(_ counts: [Int]) -> UInt8 {
    guard let most = counts.max(), most > 0, let index = counts.firstIndex(of: most) else {
      return UInt8(ascii: ",")
    }
    return usualDelimiters[index]
  }
}
