import SondeAddresses

/// The position of a record in the order of a comparison: IPv4, then IPv6, each by number, then
/// what is no address, by its bytes.
struct RecordKey: Equatable {
  /// The part of the order.
  enum Kind: UInt8 { case ipv4, ipv6, other }

  var kind = Kind.other
  /// An address, or the first sixteen bytes of another text.
  var high: UInt64 = 0
  var low: UInt64 = 0

  /// Makes the key of an `ip`; also returns where in it the bytes begin that decide between
  /// records of one key: the zone of an address, or all of another text.
  static func of(_ ip: Span<UInt8>) -> (key: RecordKey, tie: Int) {
    var mark = 0
    while mark < ip.count, ip[mark] != UInt8(ascii: "%") { mark += 1 }
    if let address = Address(ascii: ip.extracting(0..<mark)) {
      let kind = address.isIPv4 ? Kind.ipv4 : .ipv6
      return (RecordKey(kind: kind, high: address.high, low: address.low), mark)
    }
    func word(_ start: Int) -> UInt64 {
      (start..<start + 8).reduce(0) { $0 << 8 | ($1 < ip.count ? UInt64(ip[$1]) : 0) }
    }
    return (RecordKey(kind: .other, high: word(0), low: word(8)), 0)
  }

  @inline(__always)
  static func isBefore(_ left: RecordKey, _ right: RecordKey) -> Bool {
    guard left.kind == right.kind else { return left.kind.rawValue < right.kind.rawValue }
    return (left.high, left.low) < (right.high, right.low)
  }
}
