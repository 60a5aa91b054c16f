#if arch(x86_64)
  import CSondeByteMasks
#endif

/// The cells of one row of a table (RFC 4180), whose line may end in `\n` or `\r\n`.
///
/// As in most readers, a quote inside a cell that does not begin with one is an ordinary character,
/// like any text after the quotes of a cell.
struct Cells {
  let delimiter: UInt8
  /// The indices of the required cells, in ascending order.
  let wanted: [Int]

  private(set) var count = 0
  /// The ranges of the required cells that exist, including quotes.
  private(set) var places: [Range<Int>] = []
  /// The position after the last cell.
  private(set) var bodyEnd = 0
  /// The position after the line's end.
  private(set) var end = 0
  /// Whether a line feed ends it, not the end of the text.
  private(set) var isEnded = false
  /// Whether all quotes are closed.
  private(set) var isClosed = true

  init(delimiter: UInt8, wanted: [Int]) {
    (self.delimiter, self.wanted) = (delimiter, wanted)
  }

  mutating func read(_ text: Span<UInt8>, from start: Int) {
    places.removeAll(keepingCapacity: true)
    (count, isClosed) = (0, true)
    var cell = start
    while true {
      var position = cell
      if position < text.count, text[position] == UInt8(ascii: "\"") {
        if let behind = text.endOfQuotes(from: position &+ 1) {
          position = behind
        } else {
          (position, isClosed) = (text.count, false)
        }
      }
      position = text.firstIndex(of: delimiter, or: 0x0a, from: position)
      if position < text.count, text[position] == delimiter {
        take(cell..<position)
        cell = position &+ 1
        continue
      }
      isEnded = position < text.count
      end = isEnded ? position &+ 1 : position
      let hasReturn = isClosed && position > cell && text[position &- 1] == 0x0d
      bodyEnd = hasReturn ? position &- 1 : position
      return take(cell..<bodyEnd)
    }
  }

  @inline(__always)
  private mutating func take(_ cell: Range<Int>) {
    if places.count < wanted.count, wanted[places.count] == count { places.append(cell) }
    count &+= 1
  }
}

extension Span<UInt8> {
  /// The position after the closing quote, where two quotes stand for one; `nil` without it.
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

  /// The first position of either of two bytes at or after an offset, or the end.
  @inline(__always)
  func firstIndex(of first: UInt8, or second: UInt8, from offset: Int) -> Int {
    var position = offset
    #if arch(x86_64)
      let bytes = unsafe self.bytes
      while position &+ 16 <= count {
        let marks = unsafe sonde_find_either(
          bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: SIMD16<UInt8>.self),
          first,
          second
        )
        if marks != 0 { return position &+ marks.trailingZeroBitCount }
        position &+= 16
      }
    #endif
    while position < count, self[position] != first, self[position] != second { position &+= 1 }
    return position
  }

  /// The content of a cell (RFC 4180 §2): without quotes, and with doubled ones replaced.
  func meaning(ofCell cell: Range<Int>) -> [UInt8] {
    var meaning: [UInt8] = []
    var (position, isQuoted) = (cell.lowerBound, false)
    while position < cell.upperBound {
      let byte = self[position]
      position += 1
      guard byte == UInt8(ascii: "\"") else {
        meaning.append(byte)
        continue
      }
      if !isQuoted {
        isQuoted = position == cell.lowerBound + 1
        if !isQuoted { meaning.append(byte) }
      } else if position < cell.upperBound, self[position] == byte {
        meaning.append(byte)
        position += 1
      } else {
        for index in position..<cell.upperBound { meaning.append(self[index]) }
        return meaning
      }
    }
    return meaning
  }
}
