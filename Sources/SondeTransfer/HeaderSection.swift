/// Finds fields in a raw header section (RFC 9112 §5) without splitting it first.
struct HeaderSection {
  let bytes: [UInt8]

  /// The position of the first value of a field, without surrounding white space.
  func value(of name: String.UTF8View) -> Range<Int>? {
    var start = 0
    return nextValue(of: name, from: &start)
  }

  /// The positions of all values of a field.
  func values(of name: String.UTF8View) -> [Range<Int>] {
    var (start, values) = (0, [Range<Int>]())
    while let value = nextValue(of: name, from: &start) { values.append(value) }
    return values
  }

  private func nextValue(of name: String.UTF8View, from start: inout Int) -> Range<Int>? {
    while start < bytes.count {
      let (line, end) = (start, endOfLine(from: start))
      start = end + 1
      if let colon = colon(after: name, from: line) { return trimmed(colon + 1..<end) }
    }
    return nil
  }

  private func endOfLine(from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    return index
  }

  /// The colon that ends the name, if the line at `start` has that name.
  private func colon(after name: String.UTF8View, from start: Int) -> Int? {
    var index = start
    for byte in name {
      guard index < bytes.count, lowercased(bytes[index]) == lowercased(byte) else { return nil }
      index += 1
    }
    return index < bytes.count && bytes[index] == UInt8(ascii: ":") ? index : nil
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isWhiteSpace(bytes[start]) { start += 1 }
    while start < end, isWhiteSpace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes begin with a text, ignoring the case of ASCII letters.
  func beginsIgnoringCase(with text: String.UTF8View) -> Bool {
    count >= text.count && zip(self, text).allSatisfy { lowercased($0) == lowercased($1) }
  }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}

/// Whether the byte is a space, a tab, a return or a line feed.
func isWhiteSpace(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
  default: false
  }
}
