extension Address {
  /// Creates an address from its 4 (IPv4) or 16 (IPv6) bytes in network order; `nil` otherwise.
  public init?(bytes: [UInt8]) {
    let number = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    switch bytes.count {
    case 4: self.init(ipv4: UInt32(number))
    case 16: self.init(number: number)
    default: return nil
    }
  }

  /// Whether connections to this address go to a host on the public Internet.
  ///
  /// This is false for special-purpose addresses (``specialPurpose``), for IPv6 addresses that a
  /// translator or tunnel forwards to a special-purpose IPv4 address, and for IPv6 outside
  /// `2000::/3`, where only `64:ff9b::/96` reaches public hosts (RFC 4291 §2.4).
  public var isPublic: Bool {
    let isForHosts = isIPv4 || high >> 61 == 1 || isTranslated
    return isForHosts && specialPurpose == nil && embedded.allSatisfy(\.isPublic)
  }

  /// Whether the address has the well-known NAT64 prefix, `64:ff9b::/96` (RFC 6052 §2.1).
  private var isTranslated: Bool { high == 0x64_ff9b << 32 && low >> 32 == 0 }

  /// The IPv4 addresses embedded in an IPv6 address, to which a translator or tunnel forwards.
  private var embedded: [Address] {
    switch high >> 32 {
    case _ where isTranslated: [Address(ipv4: UInt32(truncatingIfNeeded: low))]
    // 6to4 (RFC 3056 §2): the 32 bits after the prefix.
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
