extension Address {
  /// Takes an address as it stands in a packet: 4 bytes of IPv4 or 16 of IPv6, in network order.
  ///
  /// - Returns: `nil` for any other number of bytes.
  public init?(bytes: [UInt8]) {
    let number = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    switch bytes.count {
    case 4: self.init(ipv4: UInt32(number))
    case 16: self.init(number: number)
    default: return nil
    }
  }

  /// Whether a connection to it leads to the public Internet, and to nothing nearer.
  ///
  /// It does not for special-purpose addresses (``specialPurpose``), nor for IPv6 addresses that a
  /// translator or a tunnel forwards to such an IPv4 address, nor for IPv6 beyond `2000::/3`, of which
  /// nothing but `64:ff9b::/96` is for public hosts (RFC 4291 §2.4).
  public var isPublic: Bool {
    let isForHosts = isIPv4 || high >> 61 == 1 || isTranslated
    return isForHosts && specialPurpose == nil && embedded.allSatisfy(\.isPublic)
  }

  /// Whether it has the well-known prefix of NAT64, `64:ff9b::/96` (RFC 6052 §2.1).
  private var isTranslated: Bool { high == 0x64_ff9b << 32 && low >> 32 == 0 }

  /// The IPv4 addresses that an IPv6 address leads to by itself.
  private var embedded: [Address] {
    switch high >> 32 {
    case _ where isTranslated: [Address(ipv4: UInt32(truncatingIfNeeded: low))]
    // 6to4 (RFC 3056 §2): the 32 bits behind the prefix.
    case 0x2002_0000...0x2002_ffff: [Address(ipv4: UInt32(truncatingIfNeeded: high >> 16))]
    // Teredo (RFC 4380 §4): the server, and the client with all bits inverted.
    case 0x2001_0000:
      [
        Address(ipv4: UInt32(truncatingIfNeeded: high)),
        Address(ipv4: ~UInt32(truncatingIfNeeded: low)),
      ]
    default: []
    }
  }
}
