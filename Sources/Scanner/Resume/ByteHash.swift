/// A 64-bit hash of a stream of bytes, however it is cut into pieces.
///
/// It tells a changed file from an unchanged one; it is no defence against a forger. Eight bytes are
/// one multiplication by the 64-bit FNV prime (http://www.isthe.com/chongo/tech/comp/fnv/). Each of
/// four words in turn goes to a hash of its own, because one alone would wait for every product.
struct ByteHash: Sendable, Equatable {
  private static let prime: UInt64 = 0x0000_0100_0000_01b3

  private var (first, second): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4)
  private var (third, fourth): (UInt64, UInt64) = (0x9ce4_8422_2325_cbf2, 0x2325_cbf2_9ce4_8422)
  private var word: UInt64 = 0

  /// The bytes taken so far.
  private(set) var count: UInt64 = 0

  /// The hash of all bytes taken so far; 0 where there were none.
  var value: UInt64 {
    guard count > 0 else { return 0 }
    var hash = first
    for next in [second, third, fourth, word, count] { hash = Self.mixed(hash, next) }
    return hash
  }

  /// Takes bytes.
  mutating func update(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count, !count.isMultiple(of: 32) {
      take(bytes[index])
      index += 1
    }
    let raw = unsafe bytes.bytes
    let word = { (offset: Int, raw: RawSpan) in
      UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    while index + 32 <= bytes.count {
      first = Self.mixed(first, word(index, raw))
      second = Self.mixed(second, word(index + 8, raw))
      third = Self.mixed(third, word(index + 16, raw))
      fourth = Self.mixed(fourth, word(index + 24, raw))
      count += 32
      index += 32
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
    switch count % 32 {
    case 8: first = Self.mixed(first, word)
    case 16: second = Self.mixed(second, word)
    case 24: third = Self.mixed(third, word)
    default: fourth = Self.mixed(fourth, word)
    }
    word = 0
  }

  @inline(__always)
  private static func mixed(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    let product = (hash ^ next) &* prime
    // The prime alone carries nothing from high bits to low ones.
    return product ^ product >> 29
  }
}
