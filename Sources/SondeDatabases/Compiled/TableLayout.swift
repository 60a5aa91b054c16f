/// Where everything lies in a table file.
///
/// A header of 8 KiB, the answers, then for IPv4 and for IPv6 the ranges. Numbers are in the byte
/// order of the machine: a table is made where it is read.
struct TableLayout: Equatable {
  /// The sections of one address family; `count` ranges, each up to the start of the next.
  ///
  /// A range begins at every /16, so that the index of the first 16 bits leads to all ranges that
  /// can hold an address.
  struct Family: Equatable {
    /// The number of ranges.
    let count: Int
    /// For each /16 the number of its first range, and ``count`` at the end: `UInt32`.
    let index: Int
    /// What is known of each range: `UInt32`, see ``TableValue``.
    let values: Int
    /// Where each range starts within its /16: of IPv4 the last 16 bits, `UInt16`; of IPv6 the
    /// first 64 bits of the address, `UInt64`.
    let starts: Int
    /// Of IPv6 the last 64 bits of where each range starts, `UInt64`.
    let lows: Int
    /// How the network of each range is told: `UInt8`, see ``NetworkForm``.
    let forms: Int
    /// Where the sections end.
    let end: Int

    init(from start: Int, count: Int, isIPv6: Bool) {
      self.count = count
      index = start
      values = index + 4 * (TableLayout.buckets + 1)
      starts = (values + 4 * count + 7) & ~7
      lows = starts + (isIPv6 ? 8 : 2) * count
      forms = lows + (isIPv6 ? 8 : 0) * count
      end = (forms + count + 7) & ~7
    }
  }

  /// The /16 of an address family.
  static let buckets = 1 << 16

  /// The /8 of an address family: each has a checksum of its own.
  static let groups = 256

  /// The bytes before the answers.
  static let headerSize = 8192

  /// The most ranges of a family.
  static let maximumCount = 1 << 26

  /// Where the answers end; they begin after the header.
  let answersEnd: Int
  let ipv4: Family
  let ipv6: Family

  /// The bytes of the whole file.
  var size: Int { ipv6.end }

  /// - Returns: `nil` for numbers that no table has.
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

/// What a range says: nothing, where its answer lies, or that its addresses hold IPv4 ones.
struct TableValue: Equatable {
  /// 0, the offset of the answer over 8, or the highest bit and the number of bits before the IPv4
  /// address.
  let bits: UInt32

  /// Nothing is known.
  static let nothing = TableValue(bits: 0)

  /// The first offset that is too far away.
  static let maximumOffset = 8 << 31

  private static let embedding: UInt32 = 1 << 31

  init(bits: UInt32) { self.bits = bits }

  /// The answer at an offset.
  init(offset: Int) { bits = UInt32(offset / 8) }

  /// The answer of the IPv4 address in the 32 bits after the first `depth` ones.
  init(embeddingAt depth: Int) { bits = Self.embedding | UInt32(depth) }

  /// Where the answer lies.
  var offset: Int { Int(bits) * 8 }

  /// Where in the address the IPv4 address begins, if there is one.
  var embeddingDepth: Int? {
    guard bits & Self.embedding != 0 else { return nil }
    // At most 96, whatever the file says.
    return min(Int(bits & ~Self.embedding), 96)
  }
}
