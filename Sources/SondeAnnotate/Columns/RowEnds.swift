import SondeInputs

/// Finds the ends of a table's rows in incremental text; each byte is examined once.
struct RowEnds {
  private enum State {
    case outsideQuotes
    case insideQuotes
    /// After a closing quote, unless another one follows.
    case behindQuote
  }

  private let delimiter: UInt8
  private var state = State.outsideQuotes
  /// The byte before the next one; initially a line feed, so that a row's first cell may be quoted.
  private var previous: UInt8 = 0x0a

  init(delimiter: UInt8) { self.delimiter = delimiter }

  /// Whether the text so far ends within quotes.
  var isInsideQuotes: Bool { state == .insideQuotes }

  /// Finds the end of the last row, or the first, in the text after `start`; `nil` if no row ends.
  mutating func find(_ text: Span<UInt8>, from start: Int, stopsAtFirst: Bool = false) -> Int? {
    // The candidate for the last end; only rows after it need to be examined.
    var (position, last) = (start, 0..<0)
    while position < text.count {
      switch state {
      case .insideQuotes:
        position = text.firstIndex(of: UInt8(ascii: "\""), or: UInt8(ascii: "\""), from: position)
        guard position < text.count else { break }
        position &+= 1
        state = .behindQuote
      case .behindQuote:
        let isDoubled = text[position] == UInt8(ascii: "\"")
        state = isDoubled ? .insideQuotes : .outsideQuotes
        if isDoubled { position &+= 1 } else { previous = UInt8(ascii: "\"") }
      case .outsideQuotes:
        let quote = text.firstIndex(of: UInt8(ascii: "\""), or: UInt8(ascii: "\""), from: position)
        if let newline = Self.newline(text, position..<quote) {
          last = newline..<quote
          if stopsAtFirst {
            previous = 0x0a
            return newline &+ 1
          }
        }
        if quote > position { previous = text[quote &- 1] }
        position = quote
        guard quote < text.count else { break }
        let beginsCell = previous == delimiter || previous == 0x0a
        if beginsCell { state = .insideQuotes }
        previous = UInt8(ascii: "\"")
        position &+= 1
      }
    }
    return last.last { text[$0] == 0x0a }.map { $0 &+ 1 }
  }

  /// The first line feed in a range.
  @inline(__always)
  private static func newline(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    let head = text.extracting(..<range.upperBound)
    let found = head.firstIndex(of: 0x0a, or: 0x0a, from: range.lowerBound)
    return found < head.count ? found : nil
  }
}
