import SondeAddresses
import SondeRecords

/// Texts of databases, which promise UTF-8 and are not believed.
extension [UInt8] {
  /// Adds a text without its control characters, and with U+FFFD in place of what is not UTF-8, and says
  /// where it lies.
  ///
  /// Of one longer than ``Record/longestText`` it adds the beginning, up to the end of a character.
  mutating func append(repairing text: Span<UInt8>) -> TextRange {
    let start = count
    // A character more than is kept, so that the cut finds its border.
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

  /// Adds a piece of other bytes, known to be good, and says where it lies.
  mutating func append(_ range: TextRange, of source: [UInt8]) -> TextRange {
    let start = count
    let first = Int(range.offset)
    append(contentsOf: source[first..<first + Int(range.count)])
    return TextRange(offset: UInt32(start), count: range.count)
  }

  /// Adds the canonical text of the block of `length` bits that holds an address.
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
