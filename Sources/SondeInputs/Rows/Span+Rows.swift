extension Span<UInt8> {
  /// The first byte from `start` on that is not white space.
  package func behindJSONSpace(from start: Int) -> Int {
    var index = start
    while index < count, self[index].isJSONSpace { index += 1 }
    return index
  }

  /// The first non-empty line from `start` on; a return at the end may be part of a line end.
  package func behindBlankLines(from start: Int) -> Int {
    var index = start
    while index < count {
      if self[index] == 0x0a {
        index += 1
      } else if self[index] == 0x0d, index + 1 < count, self[index + 1] == 0x0a {
        index += 2
      } else {
        break
      }
    }
    return index
  }

  /// The bytes of a range.
  package func copy(of range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(copying: extracting(range))
    return bytes
  }

  /// Whether a range is equal to a text.
  package func holds(_ text: [UInt8], at range: Range<Int>) -> Bool {
    guard range.count == text.count else { return false }
    for index in text.indices where self[range.lowerBound + index] != text[index] { return false }
    return true
  }
}
