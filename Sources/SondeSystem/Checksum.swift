/// A 64-bit checksum of a stream of bytes, independent of its division into chunks.
///
/// It detects accidental changes but does not protect against forgery. Every eight bytes cost one
/// multiplication by the 64-bit FNV prime (http://www.isthe.com/chongo/tech/comp/fnv/), in four
/// lanes in turn, whose multiplications overlap in the processor.
public struct Checksum: Sendable, Equatable {
  private static let prime: UInt64 = 0x0000_0100_0000_01b3
  /// The FNV offset basis, varied for each lane.
  private static let bases = SIMD4<UInt64>(
    0xcbf2_9ce4_8422_2325,
    0xcbf2_9ce4_8422_2326,
    0xcbf2_9ce4_8422_2327,
    0xcbf2_9ce4_8422_2328
  )

  private let previous: UInt64
  private var lanes: SIMD4<UInt64>
  private var word: UInt64 = 0

  /// The number of bytes added so far.
  public private(set) var count: UInt64 = 0

  /// Starts with no bytes, optionally continuing another checksum.
  public init(after previous: UInt64 = 0) {
    self.previous = previous
    lanes = Self.bases ^ SIMD4(repeating: previous)
  }

  /// The checksum of some bytes, optionally continuing another one.
  public static func of(_ bytes: RawSpan, after previous: UInt64 = 0) -> UInt64 {
    var sum = Checksum(after: previous)
    sum.update(bytes)
    return sum.value
  }

  /// The checksum of values by their bytes in memory, optionally continuing another one.
  @inlinable
  public static func of<Value: BitwiseCopyable>(
    _ values: Span<Value>,
    after previous: UInt64 = 0
  ) -> UInt64 {
    of(unsafe values.bytes, after: previous)
  }

  /// The checksum of all bytes added so far; without any, the one that it continues.
  public var value: UInt64 {
    guard count > 0 else { return previous }
    var sum = word ^ count
    for lane in 0..<4 { sum = Self.mixed(sum, lanes[lane]) }
    return sum
  }

  /// Adds bytes.
  public mutating func update(_ bytes: Span<UInt8>) { update(unsafe bytes.bytes) }

  /// Adds bytes.
  public mutating func update(_ bytes: RawSpan) {
    var index = 0
    while index < bytes.byteCount, !count.isMultiple(of: 32) {
      take(Self.byte(bytes, index))
      index += 1
    }
    index = takeBlocks(bytes, from: index)
    while index + 8 <= bytes.byteCount {
      mix(Self.word(bytes, index))
      index += 8
    }
    while index < bytes.byteCount {
      take(Self.byte(bytes, index))
      index += 1
    }
  }

  /// Adds a number, as eight bytes.
  public mutating func update(word: UInt64) {
    if count.isMultiple(of: 8) { return mix(word) }
    for index in UInt64(0)..<8 { take(UInt8(truncatingIfNeeded: word >> (8 * index))) }
  }

  /// Adds blocks of 32 bytes, and returns the position after the last one.
  private mutating func takeBlocks(_ raw: RawSpan, from start: Int) -> Int {
    var (first, second, third, fourth) = (lanes[0], lanes[1], lanes[2], lanes[3])
    var index = start
    while index &+ 32 <= raw.byteCount {
      first = Self.mixed(first, Self.word(raw, index))
      second = Self.mixed(second, Self.word(raw, index &+ 8))
      third = Self.mixed(third, Self.word(raw, index &+ 16))
      fourth = Self.mixed(fourth, Self.word(raw, index &+ 24))
      index &+= 32
    }
    lanes = SIMD4(first, second, third, fourth)
    count += UInt64(index - start)
    return index
  }

  private mutating func take(_ byte: UInt8) {
    word |= UInt64(byte) << (8 * (count % 8))
    count += 1
    guard count.isMultiple(of: 8) else { return }
    count -= 8
    mix(word)
    word = 0
  }

  /// Adds a word; the preceding ones must be complete.
  private mutating func mix(_ next: UInt64) {
    let lane = Int(truncatingIfNeeded: count / 8 % 4)
    lanes[lane] = Self.mixed(lanes[lane], next)
    count += 8
  }

  @inline(__always)
  private static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
    unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
  }

  @inline(__always)
  private static func word(_ bytes: RawSpan, _ index: Int) -> UInt64 {
    let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    return UInt64(littleEndian: word)
  }

  @inline(__always)
  private static func mixed(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    let product = (hash ^ next) &* prime
    // The multiplication alone moves nothing from high bits to low ones.
    return product ^ product >> 29
  }
}
