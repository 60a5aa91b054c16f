import Addresses

/// What lies around the packets of IP in a capture, by libpcap's numbers (pcap-linktype(7)).
enum LinkLayer {
  case ethernet, raw, null, loop, linuxCooked, linuxCooked2

  /// The link layer of a number that `pcap_datalink` gives; `nil` for one that is not read.
  init?(number: Int32) {
    switch number {
    case 0: self = .null
    case 1: self = .ethernet
    // Raw IP has had several numbers; the last two say of which version.
    case 12, 14, 101, 228, 229: self = .raw
    case 108: self = .loop
    case 113: self = .linuxCooked
    case 276: self = .linuxCooked2
    default: return nil
    }
  }

  /// The outer source and destination of a packet, as far as they were captured.
  ///
  /// Whatever the bytes say, nothing behind them is looked at.
  func addresses(of packet: Span<UInt8>) -> (source: Address, destination: Address?)? {
    switch self {
    case .ethernet: packet.addresses(behindTypeAt: 12)
    case .linuxCooked: packet.addresses(behindTypeAt: 14)
    case .linuxCooked2: packet.addresses(ofType: packet.number(ofTwoAt: 0), at: 20)
    // An address family, in the order of whoever captured: the version says the same.
    case .null, .loop: packet.addresses(ofIPAt: 4)
    case .raw: packet.addresses(ofIPAt: 0)
    }
  }
}

extension Span<UInt8> {
  /// The number of two bytes, the first one higher; `nil` where they were not captured.
  fileprivate func number(ofTwoAt index: Int) -> Int? {
    guard index + 2 <= count else { return nil }
    return Int(self[index]) << 8 | Int(self[index + 1])
  }

  /// The addresses behind a type, and behind the tags of virtual networks between them: of IEEE 802.1Q,
  /// of 802.1ad, and what was in use before that.
  fileprivate func addresses(
    behindTypeAt start: Int
  ) -> (source: Address, destination: Address?)? {
    var index = start
    var type = number(ofTwoAt: index)
    while let tag = type, tag == 0x8100 || tag == 0x88a8 || tag == 0x9100 {
      index += 4
      type = number(ofTwoAt: index)
    }
    return addresses(ofType: type, at: index + 2)
  }

  /// The addresses of a packet of IP, by its type (IEEE 802 Numbers of the IANA).
  fileprivate func addresses(
    ofType type: Int?,
    at start: Int
  ) -> (source: Address, destination: Address?)? {
    switch type {
    case 0x0800: version(at: start) == 4 ? addressesOfIPv4(at: start) : nil
    case 0x86dd: version(at: start) == 6 ? addressesOfIPv6(at: start) : nil
    default: nil
    }
  }

  fileprivate func addresses(ofIPAt start: Int) -> (source: Address, destination: Address?)? {
    switch version(at: start) {
    case 4: addressesOfIPv4(at: start)
    case 6: addressesOfIPv6(at: start)
    default: nil
    }
  }

  private func version(at start: Int) -> UInt8 { start < count ? self[start] >> 4 : 0 }

  /// RFC 791 §3.1.
  private func addressesOfIPv4(at start: Int) -> (source: Address, destination: Address?)? {
    guard start + 16 <= count else { return nil }
    let source = Address(ipv4: UInt32(truncatingIfNeeded: word(at: start + 12, bytes: 4)))
    guard start + 20 <= count else { return (source, nil) }
    return (source, Address(ipv4: UInt32(truncatingIfNeeded: word(at: start + 16, bytes: 4))))
  }

  /// RFC 8200 §3.
  private func addressesOfIPv6(at start: Int) -> (source: Address, destination: Address?)? {
    guard start + 24 <= count else { return nil }
    let source = ipv6Address(at: start + 8)
    return (source, start + 40 <= count ? ipv6Address(at: start + 24) : nil)
  }

  private func ipv6Address(at start: Int) -> Address {
    Address(high: word(at: start, bytes: 8), low: word(at: start + 8, bytes: 8))
  }

  /// A number, its highest byte first.
  private func word(at start: Int, bytes count: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in start..<start + count { number = number << 8 | UInt64(self[index]) }
    return number
  }
}
