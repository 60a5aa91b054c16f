import SondeAddresses
import SondeRecords

/// Texts of databases, which should be UTF-8 but are not trusted.
extension [UInt8] {
  /// Appends a text without control characters and with invalid UTF-8 replaced by U+FFFD, and
  /// returns its range.
  ///
  /// A text longer than ``Record/longestText`` is cut at the end of a character.
  mutating func append(repairing text: Span<UInt8>) -> TextRange {
    let start = count
    // One character more than is kept, so that the cut finds its boundary.
    let text = text.extracting(first: Record.longestText + 4)
    if (try? UTF8Span(validating: text)) != nil, !text.hasControls {
      unsafe text.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    } else {
      let repaired = unsafe text.withUnsafeBufferPointer {
        unsafe String(decoding: $0, as: UTF8.self)
      }
      append(withoutControls: Array(repaired.utf8).span)
    }
    return TextRange(offset: UInt32(start), count: UInt32(count - start)).cut(in: span)
  }

  /// Appends a valid range of other bytes, and returns its new range.
  mutating func append(_ range: TextRange, of source: [UInt8]) -> TextRange {
    let start = count
    let first = Int(range.offset)
    append(contentsOf: source[first..<first + Int(range.count)])
    return TextRange(offset: UInt32(start), count: range.count)
  }

  /// Appends the block of `length` bits that contains an address.
  mutating func append(networkOf address: Address, length: Int) -> TextRange {
    let start = count
    let bits = address.isIPv4 ? length + 96 : length
    let high = bits >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(bits))
    let low = bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64))
    Address(high: address.high & high, low: address.low & low).append(to: &self)
    append(UInt8(ascii: "/"))
    if length >= 100 { append(UInt8(ascii: "1")) }
    if length >= 10 { append(UInt8(ascii: "0") + UInt8(length / 10 % 10)) }
    append(UInt8(ascii: "0") + UInt8(length % 10))
    return TextRange(offset: UInt32(start), count: UInt32(count - start))
  }
}
