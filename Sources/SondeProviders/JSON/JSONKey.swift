import SondeRecords

/// The name of a member, at most 15 bytes, as two words, which are compared quickly.
///
/// The last byte is the length, which distinguishes a name from one with trailing zeros.
struct JSONKey: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64
  static let longestName = 15

  /// The spare bytes that must be readable after the last string.
  static let padding = 16

  init(_ name: StaticString) {
    var words: (UInt64, UInt64) = (0, 0)
    name.withUTF8Buffer { bytes in
      for index in bytes.indices.prefix(JSONKey.longestName) {
        let byte = unsafe UInt64(bytes[index])
        if index < 8 {
          words.0 |= byte << (8 * index)
        } else {
          words.1 |= byte << (8 * (index - 8))
        }
      }
      words.1 |= UInt64(bytes.count) << 56
    }
    (first, second) = words
  }

  /// Packs a name of a document; a longer one equals no known name.
  @inline(__always)
  init(_ text: TextRange, in strings: RawSpan) {
    let (offset, count) = (Int(text.offset), Int(text.count))
    guard count <= JSONKey.longestName else {
      (first, second) = (.max, .max)
      return
    }
    let words = unsafe (
      UInt64(littleEndian: strings.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      UInt64(littleEndian: strings.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    )
    first = count >= 8 ? words.0 : words.0 & ((1 << UInt64(8 * count)) - 1)
    let rest = count <= 8 ? 0 : words.1 & ((1 << UInt64(8 * count - 64)) - 1)
    second = rest | UInt64(count) << 56
  }
}
