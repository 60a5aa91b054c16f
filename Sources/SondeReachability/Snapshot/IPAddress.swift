/// An IPv4 or IPv6 address of an interface, a route or an endpoint.
///
/// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is converted to its IPv4 address, as in the
/// kernel.
public struct IPAddress: Hashable, Sendable {
  /// The protocol of an address; paths are judged separately for each.
  public enum Family: Hashable, Sendable, CaseIterable {
    case ipv4
    case ipv6
  }

  /// The protocol.
  public let family: Family

  /// The first eight bytes of an IPv6 address; 0 for IPv4.
  let high: UInt64

  /// The last eight bytes of an IPv6 address, or the four of an IPv4 one.
  let low: UInt64

  init(ipv4 value: UInt32) { (family, high, low) = (.ipv4, 0, UInt64(value)) }

  init(high: UInt64, low: UInt64) {
    let isMapped = high == 0 && low >> 32 == 0xffff
    family = isMapped ? .ipv4 : .ipv6
    self.high = high
    self.low = isMapped ? low & 0xffff_ffff : low
  }

  /// Creates an address from four or sixteen bytes in network order.
  init?(bytes: some Collection<UInt8>) {
    let halves = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { halves, byte in
      halves.high = halves.high << 8 | halves.low >> 56
      halves.low = halves.low << 8 | UInt64(byte)
    }
    switch bytes.count {
    case 4: self.init(ipv4: UInt32(truncatingIfNeeded: halves.low))
    case 16: self.init(high: halves.high, low: halves.low)
    default: return nil
    }
  }

  /// The four or sixteen bytes in network order.
  var bytes: [UInt8] {
    switch family {
    case .ipv4: (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
    case .ipv6:
      (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * ($0 % 8))) }
    }
  }

  /// Whether the address is valid only on its own link: `169.254.0.0/16` (RFC 3927), `fe80::/10`
  /// (RFC 4291).
  public var isLinkLocal: Bool {
    switch family {
    case .ipv4: low >> 16 == 0xa9fe
    case .ipv6: high >> 54 == 0x3fa
    }
  }

  /// Whether the address stays within this machine: `127.0.0.0/8` (RFC 1122 §3.2.1.3), `::1` (RFC
  /// 4291).
  public var isLoopback: Bool {
    switch family {
    case .ipv4: low >> 24 == 127
    case .ipv6: high == 0 && low == 1
    }
  }
}
