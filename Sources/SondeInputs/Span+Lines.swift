import SondeSystem

extension Span<UInt8> {
  /// The first line feed at or after an offset.
  package func firstNewline(from offset: Int) -> Int? {
    position(of: 0x0a, from: offset, to: count)
  }

  /// Whether a range has a line feed.
  package func hasNewline(in range: Range<Int>) -> Bool {
    extracting(range).firstNewline(from: 0) != nil
  }

  /// The number of lines, including an unfinished last one.
  package func countLines() -> Int {
    guard count > 0 else { return 0 }
    return countNewlines(0..<count) + (self[count - 1] == 0x0a ? 0 : 1)
  }

  /// The last position of a byte.
  package func lastIndex(of byte: UInt8) -> Int? {
    var index = count
    while index > 0 {
      index -= 1
      if self[index] == byte { return index }
    }
    return nil
  }

  /// The number of line feeds in a range.
  package func countNewlines(_ range: Range<Int>) -> Int {
    var count = 0
    var start = range.lowerBound
    while start < range.upperBound, let newline = firstNewline(from: start),
      newline < range.upperBound
    {
      count += 1
      start = newline + 1
    }
    return count
  }

  /// Whether the text begins with a UTF-8 byte-order mark.
  package var startsWithByteOrderMark: Bool {
    count >= 3 && self[0] == 0xef && self[1] == 0xbb && self[2] == 0xbf
  }

  /// The text as valid UTF-8 of at most `maximum` bytes; invalid bytes become U+FFFD.
  package func repaired(maximum: Int) -> String {
    let beginning = extracting(0..<end(ofFirst: maximum))
    var text = unsafe beginning.withUnsafeBufferPointer { bytes in
      unsafe String(decoding: bytes, as: UTF8.self)
    }
    while text.utf8.count > maximum { text.unicodeScalars.removeLast() }
    return text
  }

  /// The bytes of the same.
  package func repairedBytes(maximum: Int) -> [UInt8] {
    let beginning = extracting(0..<end(ofFirst: maximum))
    guard (try? UTF8Span(validating: beginning)) != nil else {
      return Array(repaired(maximum: maximum).utf8)
    }
    return unsafe beginning.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// The end of the first bytes, without a part of a character there.
  private func end(ofFirst maximum: Int) -> Int {
    var end = Swift.min(count, maximum)
    if end < count {
      while end > 0, self[end] & 0xc0 == 0x80, end > maximum - 4 { end -= 1 }
    }
    return end
  }
}

extension [UInt8] {
  /// Appends a copy of some bytes.
  @inline(__always)
  package mutating func append(copying text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
