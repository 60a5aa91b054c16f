/// An IPv4 or IPv6 address as a 128-bit number.
///
/// An IPv4 address is stored in its IPv4-mapped form, `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), so the
/// mapped and the dotted text give equal values.
public struct Address: Hashable, Sendable {
  /// The first eight octets, in network order.
  public let high: UInt64

  /// The last eight octets, in network order.
  public let low: UInt64

  /// Creates an address from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// Creates an IPv4 address from its 32-bit number; `1.0.0.0` is `0x0100_0000`.
  @inlinable
  public init(ipv4: UInt32) { self.init(high: 0, low: 0xffff_0000_0000 | UInt64(ipv4)) }

  /// Whether this is an IPv4 address, IPv4-mapped ones included.
  @inlinable
  public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

  /// The 32-bit number of an IPv4 address; `nil` for an IPv6 one.
  @inlinable
  public var ipv4: UInt32? { isIPv4 ? UInt32(truncatingIfNeeded: low) : nil }

  /// Whether the address is link-local: `169.254.0.0/16` (RFC 3927) or `fe80::/10` (RFC 4291).
  @inlinable
  public var isLinkLocal: Bool {
    isIPv4 ? low & 0xffff_0000 == 0xa9fe_0000 : high >> 54 == 0xfe80 >> 6
  }
}

extension Address: Comparable {
  /// Orders addresses by their 128-bit numbers.
  @inlinable
  public static func < (left: Address, right: Address) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
