// Removes control characters from the texts of providers, registries, name servers, databases
// and tables, which are not trusted, so that no output format has to handle them.
//
// They are the control characters C0, DEL and C1, the line and paragraph separators, and the
// bidirectional controls of UAX #9 §2, all of which are shown to people as escapes. Tabs, newlines
// and returns are kept: they are white space, and every output format escapes them itself.

extension Span<UInt8> {
  /// Whether a text in valid UTF-8 has a control character other than a tab, newline or return.
  public var hasControls: Bool {
    var index = 0
    while index < count {
      let marked = word(at: index).unprintables
      guard marked != 0 else {
        index &+= 8
        continue
      }
      index &+= marked.trailingZeroBitCount / 8
      guard controlSize(at: index) == 0 else { return true }
      index &+= 1
    }
    return false
  }

  /// Whether a text consists of printable ASCII characters.
  public var isPrintableASCII: Bool {
    var (index, marked) = (0, UInt64(0))
    while index < count {
      marked |= word(at: index).unprintables
      index &+= 8
    }
    return marked == 0
  }

  /// The size of the control character at an index in bytes; 0 if there is none.
  fileprivate func controlSize(at index: Int) -> Int {
    let next = index + 1 < count ? self[index + 1] : 0
    let third = index + 2 < count ? self[index + 2] : 0
    switch (self[index], next, third) {
    case (0x09...0x0a, _, _), (0x0d, _, _): return 0
    case (..<0x20, _, _), (0x7f, _, _): return 1
    case (0xc2, 0x80...0x9f, _), (0xd8, 0x9c, _): return 2
    case (0xe2, 0x80, 0x8e...0x8f), (0xe2, 0x80, 0xa8...0xae), (0xe2, 0x81, 0xa6...0xa9): return 3
    default: return 0
    }
  }

  /// Whether the control character at an index separates words, as all but bidirectional ones do.
  fileprivate func isDistance(at index: Int) -> Bool {
    switch self[index] {
    case 0xd8: false
    case 0xe2: self[index + 1] == 0x80 && 0xa8...0xa9 ~= self[index + 2]
    default: true
    }
  }
}

extension [UInt8] {
  /// Appends a text in valid UTF-8 without control characters other than tabs, newlines and
  /// returns.
  ///
  /// Consecutive ones become one blank, or nothing at the start, the end or next to a blank;
  /// bidirectional ones are just removed. The result is never longer than the text.
  public mutating func append(withoutControls text: Span<UInt8>) {
    let start = count
    var (index, isBlankDue) = (0, false)
    while index < text.count {
      let size = text.controlSize(at: index)
      guard size == 0 else {
        isBlankDue = isBlankDue || text.isDistance(at: index)
        index += size
        continue
      }
      let blank = UInt8(ascii: " ")
      if isBlankDue, count > start, last != blank, text[index] != blank { append(blank) }
      isBlankDue = false
      append(text[index])
      index += 1
    }
  }
}

extension String {
  /// A copy without control characters, as by `append(withoutControls:)`.
  public var withoutControls: String {
    let text = Array(utf8)
    guard text.span.hasControls else { return self }
    var bytes: [UInt8] = []
    bytes.append(withoutControls: text.span)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Record {
  /// Removes the control characters from all texts; a changed text is appended to the bytes.
  public mutating func removeControls(from bytes: inout [UInt8]) {
    for index in texts.indices where bytes.span.extracting(texts[index].indices).hasControls {
      let text = Array(bytes[texts[index].indices])
      let start = bytes.count
      bytes.append(withoutControls: text.span)
      texts[index] = TextRange(offset: UInt32(start), count: UInt32(bytes.count - start))
    }
  }
}
