import SondeRecords

/// The name of a member, at most 15 bytes, as two words, so that finding a field costs two compares.
///
/// The last byte is the count, which tells a name from one with zeros behind it.
struct JSONKey: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64

  /// The longest name that a key can be.
  static let longestName = 15

  /// The spare bytes that must be readable behind the last string.
  static let padding = 16

  /// Packs a name of ours.
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

  /// Packs a name of a document; one longer than any of ours equals none of them.
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
