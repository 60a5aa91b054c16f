/// A 64-bit checksum that tells damaged bytes from whole ones; it is no defence against a forger.
///
/// Four lanes of eight bytes each, so that a processor works on several words at a time.
enum Checksum {
  /// The golden ratio in 64 bits, made odd: it spreads what is multiplied by it.
  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// The checksum of values as they lie in memory, going on from that of others.
  static func of<Value: BitwiseCopyable>(_ values: Span<Value>, after previous: UInt64 = 0)
    -> UInt64
  {
    of(unsafe values.bytes, after: previous)
  }

  /// The checksum of some bytes, going on from that of others.
  static func of(_ bytes: RawSpan, after previous: UInt64 = 0) -> UInt64 {
    var (first, second, third, fourth) = (previous, ~previous, previous &+ 1, previous &+ 2)
    let count = bytes.byteCount
    var index = 0
    while index &+ 32 <= count {
      first = mix(first, word(of: bytes, at: index))
      second = mix(second, word(of: bytes, at: index &+ 8))
      third = mix(third, word(of: bytes, at: index &+ 16))
      fourth = mix(fourth, word(of: bytes, at: index &+ 24))
      index &+= 32
    }
    while index &+ 8 <= count {
      first = mix(first, word(of: bytes, at: index))
      index &+= 8
    }
    var last = UInt64(count) << 56
    while index < count {
      last = last << 8 | UInt64(unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
      index &+= 1
    }
    return mix(mix(mix(mix(mix(first, last), second), third), fourth), UInt64(count))
  }

  @inline(__always)
  private static func word(of bytes: RawSpan, at index: Int) -> UInt64 {
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
  }

  @inline(__always)
  private static func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* factor
    // A product alone carries nothing from high bits to low ones.
    return product ^ product >> 32
  }
}
