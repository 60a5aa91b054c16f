/// The layout of a compiled file.
///
/// A header of 8 KiB is followed by the answers, and the ranges of IPv4 and IPv6. Numbers are in
/// native byte order, since the file is read where it was created.
struct CompiledLayout: Equatable {
  /// The sections of one address family; `count` ranges, each up to the start of the next.
  ///
  /// A range begins at every /16, so that the index of the first 16 bits leads to all ranges that
  /// can hold an address.
  struct Family: Equatable {
    let count: Int
    /// For each /16 the number of its first range, and ``count`` at the end: `UInt32`.
    let index: Int
    /// The value of each range: `UInt32`, see ``TableValue``.
    let values: Int
    /// The start of each range within its /16: for IPv4 the last 16 bits, `UInt16`; for IPv6 the
    /// first 64 bits of the address, `UInt64`.
    let starts: Int
    /// For IPv6 the last 64 bits of each range's start, `UInt64`.
    let lows: Int
    /// The form of each range's network: `UInt8`, see ``NetworkForm``.
    let forms: Int
    let end: Int

    init(from start: Int, count: Int, isIPv6: Bool) {
      self.count = count
      index = start
      values = index + 4 * (CompiledLayout.buckets + 1)
      starts = (values + 4 * count + 7) & ~7
      lows = starts + (isIPv6 ? 8 : 2) * count
      forms = lows + (isIPv6 ? 8 : 0) * count
      end = (forms + count + 7) & ~7
    }
  }

  /// The number of /16 in an address family.
  static let buckets = 1 << 16

  /// The number of /8 in an address family, each with its own checksum.
  static let groups = 256

  /// The size of the header in bytes.
  static let headerSize = 8192

  /// The largest number of ranges per family.
  static let maximumCount = 1 << 26

  /// The end of the answers, which follow the header.
  let answersEnd: Int
  let ipv4: Family
  let ipv6: Family

  /// The size of the file in bytes.
  var size: Int { ipv6.end }

  /// Fails for invalid numbers.
  init?(answersEnd: Int, ipv4: Int, ipv6: Int) {
    let counts = Self.buckets...Self.maximumCount
    guard (Self.headerSize...TableValue.maximumOffset).contains(answersEnd), answersEnd % 8 == 0,
      counts.contains(ipv4), counts.contains(ipv6)
    else { return nil }
    self.answersEnd = answersEnd
    self.ipv4 = Family(from: answersEnd, count: ipv4, isIPv6: false)
    self.ipv6 = Family(from: self.ipv4.end, count: ipv6, isIPv6: true)
  }
}

/// The value of a range: nothing, the position of its answer, or that its addresses embed IPv4
/// addresses.
struct TableValue: Equatable {
  /// 0, the offset of the answer over 8, or the highest bit and the number of bits before the IPv4
  /// address.
  let bits: UInt32
  static let nothing = TableValue(bits: 0)

  /// The limit of offsets.
  static let maximumOffset = 8 << 31

  private static let embedding: UInt32 = 1 << 31

  init(bits: UInt32) { self.bits = bits }

  init(offset: Int) { bits = UInt32(offset / 8) }

  /// The answer of the IPv4 address in the 32 bits after the first `depth` ones.
  init(embeddingAt depth: Int) { bits = Self.embedding | UInt32(depth) }

  var offset: Int { Int(bits) * 8 }

  /// The position of the embedded IPv4 address in the address, if there is one.
  var embeddingDepth: Int? {
    guard bits & Self.embedding != 0 else { return nil }
    // At most 96, whatever the file contains.
    return min(Int(bits & ~Self.embedding), 96)
  }
}
