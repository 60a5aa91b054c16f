import Glibc

extension Span<UInt8> {
  /// The first line feed at or after an offset.
  package func firstNewline(from offset: Int) -> Int? {
    unsafe withUnsafeBufferPointer { bytes -> Int? in
      guard let base = bytes.baseAddress, offset < bytes.count else { return nil }
      guard let found = unsafe memchr(base + offset, 0x0a, bytes.count - offset) else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
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
    var end = Swift.min(count, maximum)
    if end < count {
      while end > 0, self[end] & 0xc0 == 0x80, end > maximum - 4 { end -= 1 }
    }
    var text = String(decoding: (0..<end).map { self[$0] }, as: UTF8.self)
    while text.utf8.count > maximum { text.unicodeScalars.removeLast() }
    return text
  }
}

extension [UInt8] {
  /// Appends a copy of some bytes.
  @inline(__always)
  package mutating func append(copying text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
