import Records

/// The name of a member, at most 16 bytes, as two words, so that finding a field costs two compares.
struct JSONKey: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64

  /// The spare bytes that must be readable behind the last string.
  static let padding = 16

  /// Packs a name of ours.
  init(_ name: StaticString) {
    var words: (UInt64, UInt64) = (0, 0)
    name.withUTF8Buffer { bytes in
      for index in bytes.indices.prefix(16) {
        let byte = unsafe UInt64(bytes[index])
        if index < 8 {
          words.0 |= byte << (8 * index)
        } else {
          words.1 |= byte << (8 * (index - 8))
        }
      }
    }
    (first, second) = words
  }

  /// Packs a name of a document; one longer than any of ours equals none of them.
  @inline(__always)
  init(_ text: TextRange, in strings: RawSpan) {
    let (offset, count) = (Int(text.offset), Int(text.count))
    guard count <= 16 else {
      (first, second) = (.max, .max)
      return
    }
    let words = unsafe (
      UInt64(littleEndian: strings.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      UInt64(littleEndian: strings.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    )
    first = count >= 8 ? words.0 : words.0 & ((1 << UInt64(8 * count)) - 1)
    second = count <= 8 ? 0 : count == 16 ? words.1 : words.1 & ((1 << UInt64(8 * count - 64)) - 1)
  }
}
