/// A 64-bit hash of a stream of bytes, however it is cut into pieces.
///
/// It tells a changed file from an unchanged one; it is no defence against a forger. Eight bytes are
/// one multiplication by the 64-bit FNV prime (http://www.isthe.com/chongo/tech/comp/fnv/).
struct ByteHash: Sendable, Equatable {
  private static let offsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01b3

  private var hash = offsetBasis
  private var word: UInt64 = 0

  /// The bytes taken so far.
  private(set) var count: UInt64 = 0

  /// The hash of all bytes taken so far; 0 where there were none.
  var value: UInt64 { count == 0 ? 0 : (hash ^ word ^ count) &* Self.prime }

  /// Takes bytes.
  mutating func update(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count, !count.isMultiple(of: 8) {
      take(bytes[index])
      index += 1
    }
    let raw = unsafe bytes.bytes
    while index + 8 <= bytes.count {
      let next = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      mix(UInt64(littleEndian: next))
      count += 8
      index += 8
    }
    while index < bytes.count {
      take(bytes[index])
      index += 1
    }
  }

  /// Takes a number, as eight bytes.
  mutating func update(word: UInt64) {
    for index in UInt64(0)..<8 { take(UInt8(truncatingIfNeeded: word >> (8 * index))) }
  }

  private mutating func take(_ byte: UInt8) {
    word |= UInt64(byte) << (8 * (count % 8))
    count += 1
    guard count.isMultiple(of: 8) else { return }
    mix(word)
    word = 0
  }

  private mutating func mix(_ next: UInt64) {
    hash = (hash ^ next) &* Self.prime
    // The prime alone carries nothing from high bits to low ones.
    hash ^= hash >> 29
  }
}
