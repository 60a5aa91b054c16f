public import SondeAddresses

/// The leading bits of addresses that stay; all others become zero.
public struct Truncation: Sendable, Equatable {
  /// The bits of an IPv4 address, at most 32.
  public let ipv4: Int
  /// The bits of an IPv6 address, at most 128.
  public let ipv6: Int

  /// Creates a rule; by default, as many bits stay as usual sites have in common.
  public init(ipv4: Int = 24, ipv6: Int = 48) {
    precondition((0...32).contains(ipv4) && (0...128).contains(ipv6), "more bits than there are")
    (self.ipv4, self.ipv6) = (ipv4, ipv6)
  }

  /// The number of leading bits of an address that stay.
  ///
  /// 6to4 addresses hold an IPv4 address behind their first 16 bits (RFC 3056 §2).
  public func length(for address: Address) -> Int {
    if address.isIPv4 { return ipv4 }
    return address.high >> 48 == 0x2002 ? min(ipv6, 16 + ipv4) : ipv6
  }

  func callAsFunction(_ address: Address) -> Address {
    AddressRange(block: address, length: length(for: address)).first
  }
}
