import SondeAddresses

/// The source and destination of a packet; the destination is `nil` if it was not captured.
typealias PacketAddresses = (source: Address, destination: Address?)

/// The link layer of a capture, by libpcap's numbers (https://www.tcpdump.org/linktypes.html).
enum LinkLayer {
  case ethernet, raw, null, loop, linuxCooked, linuxCooked2
  case ppp, pppWithDirection, pppOverEthernet
  case ciscoHDLC, ciscoHDLCWithDirection
  case frameRelay, frameRelayWithDirection
  case radiotap, ipnet, netfilterLog, infiniBand, packetTap

  /// The link layer for a number from `pcap_datalink`; `nil` if it is not supported.
  init?(number: Int32) {
    switch number {
    case 0: self = .null
    case 1: self = .ethernet
    // The last is pppd's, with the direction instead of the HDLC address.
    case 9, 50, 166: self = .ppp
    // Raw IP has had several numbers; the last two imply the version.
    case 12, 14, 101, 228, 229: self = .raw
    case 51: self = .pppOverEthernet
    case 104: self = .ciscoHDLC
    case 107: self = .frameRelay
    case 108: self = .loop
    case 113: self = .linuxCooked
    case 127: self = .radiotap
    case 204: self = .pppWithDirection
    case 205: self = .ciscoHDLCWithDirection
    case 206: self = .frameRelayWithDirection
    case 226: self = .ipnet
    case 239: self = .netfilterLog
    case 242: self = .infiniBand
    case 258: self = .packetTap
    case 276: self = .linuxCooked2
    default: return nil
    }
  }

  /// The outer source and destination of a packet, if captured.
  ///
  /// Never reads beyond the captured bytes.
  func addresses(of packet: Span<UInt8>) -> PacketAddresses? {
    switch self {
    case .ethernet: packet.addresses(behindTypeAt: 12)
    case .linuxCooked: packet.addresses(behindTypeAt: 14)
    case .linuxCooked2: packet.addresses(ofType: packet.number(ofTwoAt: 0), at: 20)
    // An address family in the capturing machine's byte order, which the IP version makes
    // redundant.
    case .null, .loop: packet.addresses(ofIPAt: 4)
    case .raw: packet.addresses(ofIPAt: 0)
    case .ppp: packet.addresses(ofPPPAt: 0)
    case .pppWithDirection: packet.addresses(ofPPPAt: 1)
    // After version, code, session and length (RFC 2516 §4).
    case .pppOverEthernet: packet.addresses(ofPPPAt: 6)
    case .ciscoHDLC: packet.addresses(ofHDLCAt: 0)
    case .ciscoHDLCWithDirection: packet.addresses(ofHDLCAt: 1)
    case .frameRelay: packet.addresses(ofFrameRelayAt: 0)
    case .frameRelayWithDirection: packet.addresses(ofFrameRelayAt: 1)
    case .radiotap: packet.addressesOfRadiotap()
    // A Solaris header, whose address family the IP version makes redundant.
    case .ipnet: packet.addresses(ofIPAt: 24)
    case .netfilterLog: packet.addressesOfNetfilterLog()
    // After a global route header, a type and two unused bytes.
    case .infiniBand: packet.addresses(ofType: packet.number(ofTwoAt: 40), at: 44)
    case .packetTap: packet.addressesOfPacketTap()
    }
  }
}

extension Span<UInt8> {
  /// The big-endian number in two bytes; `nil` if they were not captured.
  func number(ofTwoAt index: Int) -> Int? {
    guard index + 2 <= count else { return nil }
    return Int(self[index]) << 8 | Int(self[index + 1])
  }

  /// The addresses after a type and any VLAN tags: IEEE 802.1Q, 802.1ad, and their predecessors.
  func addresses(behindTypeAt start: Int) -> PacketAddresses? {
    var index = start
    var type = number(ofTwoAt: index)
    while let tag = type, tag == 0x8100 || tag == 0x88a8 || tag == 0x9100 {
      index += 4
      type = number(ofTwoAt: index)
    }
    return addresses(ofType: type, at: index + 2)
  }

  /// The addresses of an IP packet, by its type (IANA's IEEE 802 Numbers).
  func addresses(ofType type: Int?, at start: Int) -> PacketAddresses? {
    switch type {
    case 0x0800: version(at: start) == 4 ? addressesOfIPv4(at: start) : nil
    case 0x86dd: version(at: start) == 6 ? addressesOfIPv6(at: start) : nil
    default: nil
    }
  }

  func addresses(ofIPAt start: Int) -> PacketAddresses? {
    switch version(at: start) {
    case 4: addressesOfIPv4(at: start)
    case 6: addressesOfIPv6(at: start)
    default: nil
    }
  }

  private func version(at start: Int) -> UInt8 { start < count ? self[start] >> 4 : 0 }

  /// The addresses of an IPv4 packet (RFC 791 §3.1).
  private func addressesOfIPv4(at start: Int) -> PacketAddresses? {
    guard start + 16 <= count else { return nil }
    let source = Address(ipv4: UInt32(truncatingIfNeeded: word(at: start + 12, bytes: 4)))
    guard start + 20 <= count else { return (source, nil) }
    return (source, Address(ipv4: UInt32(truncatingIfNeeded: word(at: start + 16, bytes: 4))))
  }

  /// The addresses of an IPv6 packet (RFC 8200 §3).
  private func addressesOfIPv6(at start: Int) -> PacketAddresses? {
    guard start + 24 <= count else { return nil }
    let source = ipv6Address(at: start + 8)
    return (source, start + 40 <= count ? ipv6Address(at: start + 24) : nil)
  }

  private func ipv6Address(at start: Int) -> Address {
    Address(high: word(at: start, bytes: 8), low: word(at: start + 8, bytes: 8))
  }

  /// A big-endian number.
  private func word(at start: Int, bytes count: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in start..<start + count { number = number << 8 | UInt64(self[index]) }
    return number
  }
}
