/// Functions for text that may not be ASCII.
enum Text {
  static func isUTF8(_ text: Span<UInt8>) -> Bool { firstNonUTF8(text) == nil }

  /// The position of the first byte of invalid UTF-8.
  static func firstNonUTF8(_ text: Span<UInt8>) -> Int? {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: text)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// The number of characters (Unicode scalars) before a position.
  static func characters(in text: Span<UInt8>, before position: Int) -> Int {
    var count = 0
    for index in 0..<min(position, text.count) where text[index] & 0xc0 != 0x80 { count += 1 }
    return count
  }

  /// The name of a character, such as `U+00A0`.
  static func name(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension ListItem {
  /// Trims white space of any script, such as the no-break spaces of spreadsheets.
  static func trimUnicode(_ item: Range<Int>, of line: Span<UInt8>) -> Range<Int> {
    var (start, end) = (item.lowerBound, item.upperBound)
    while start < end, let length = whiteSpace(line, from: start, to: end) { start += length }
    while start < end {
      // White space characters have at most three bytes.
      let tail = (max(start, end - 3)..<end).last { line[$0] & 0xc0 != 0x80 }
      guard let tail, whiteSpace(line, from: tail, to: end) == end - tail else { break }
      end = tail
    }
    return start..<end
  }

  /// The length in bytes, at most three, of the white space character at a position, if any.
  private static func whiteSpace(_ line: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    let lead = line[start]
    if lead < 0x80 { return lead.isBlank ? 1 : nil }
    let length = lead < 0xe0 ? 2 : 3
    guard lead >= 0xc2, lead < 0xf0, start + length <= end else { return nil }
    var value = UInt32(length == 2 ? lead & 0x1f : lead & 0x0f)
    for index in start + 1..<start + length {
      guard line[index] & 0xc0 == 0x80 else { return nil }
      value = value << 6 | UInt32(line[index] & 0x3f)
    }
    guard let scalar = Unicode.Scalar(value) else { return nil }
    return scalar.properties.isWhitespace ? length : nil
  }
}
