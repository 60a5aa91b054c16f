import SondeAddresses

/// Who sent a packet to whom; the destination is `nil` where it was not captured.
typealias PacketAddresses = (source: Address, destination: Address?)

/// What lies around the packets of IP in a capture, by libpcap's numbers
/// (https://www.tcpdump.org/linktypes.html).
enum LinkLayer {
  case ethernet, raw, null, loop, linuxCooked, linuxCooked2
  case ppp, pppWithDirection, pppOverEthernet
  case ciscoHDLC, ciscoHDLCWithDirection
  case frameRelay, frameRelayWithDirection
  case radiotap, ipnet, netfilterLog, infiniBand, packetTap

  /// The link layer of a number that `pcap_datalink` gives; `nil` for one that is not read.
  init?(number: Int32) {
    switch number {
    case 0: self = .null
    case 1: self = .ethernet
    // The last is of pppd, which has the direction in place of the address of HDLC.
    case 9, 50, 166: self = .ppp
    // Raw IP has had several numbers; the last two say of which version.
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

  /// The outer source and destination of a packet, as far as they were captured.
  ///
  /// Whatever the bytes say, nothing behind them is looked at.
  func addresses(of packet: Span<UInt8>) -> PacketAddresses? {
    switch self {
    case .ethernet: packet.addresses(behindTypeAt: 12)
    case .linuxCooked: packet.addresses(behindTypeAt: 14)
    case .linuxCooked2: packet.addresses(ofType: packet.number(ofTwoAt: 0), at: 20)
    // An address family, in the order of whoever captured: the version says the same.
    case .null, .loop: packet.addresses(ofIPAt: 4)
    case .raw: packet.addresses(ofIPAt: 0)
    case .ppp: packet.addresses(ofPPPAt: 0)
    case .pppWithDirection: packet.addresses(ofPPPAt: 1)
    // Behind its version, code, session and length (RFC 2516 §4).
    case .pppOverEthernet: packet.addresses(ofPPPAt: 6)
    case .ciscoHDLC: packet.addresses(ofHDLCAt: 0)
    case .ciscoHDLCWithDirection: packet.addresses(ofHDLCAt: 1)
    case .frameRelay: packet.addresses(ofFrameRelayAt: 0)
    case .frameRelayWithDirection: packet.addresses(ofFrameRelayAt: 1)
    case .radiotap: packet.addressesOfRadiotap()
    // A header of Solaris, whose family the version of IP says again.
    case .ipnet: packet.addresses(ofIPAt: 24)
    case .netfilterLog: packet.addressesOfNetfilterLog()
    // Behind a global route header, a type and two bytes that are not used.
    case .infiniBand: packet.addresses(ofType: packet.number(ofTwoAt: 40), at: 44)
    case .packetTap: packet.addressesOfPacketTap()
    }
  }
}

extension Span<UInt8> {
  /// The number of two bytes, the first one higher; `nil` where they were not captured.
  func number(ofTwoAt index: Int) -> Int? {
    guard index + 2 <= count else { return nil }
    return Int(self[index]) << 8 | Int(self[index + 1])
  }

  /// The addresses behind a type, and behind the tags of virtual networks between them: of IEEE 802.1Q,
  /// of 802.1ad, and what was in use before that.
  func addresses(
    behindTypeAt start: Int
  ) -> PacketAddresses? {
    var index = start
    var type = number(ofTwoAt: index)
    while let tag = type, tag == 0x8100 || tag == 0x88a8 || tag == 0x9100 {
      index += 4
      type = number(ofTwoAt: index)
    }
    return addresses(ofType: type, at: index + 2)
  }

  /// The addresses of a packet of IP, by its type (IEEE 802 Numbers of the IANA).
  func addresses(
    ofType type: Int?,
    at start: Int
  ) -> PacketAddresses? {
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

  /// RFC 791 §3.1.
  private func addressesOfIPv4(at start: Int) -> PacketAddresses? {
    guard start + 16 <= count else { return nil }
    let source = Address(ipv4: UInt32(truncatingIfNeeded: word(at: start + 12, bytes: 4)))
    guard start + 20 <= count else { return (source, nil) }
    return (source, Address(ipv4: UInt32(truncatingIfNeeded: word(at: start + 16, bytes: 4))))
  }

  /// RFC 8200 §3.
  private func addressesOfIPv6(at start: Int) -> PacketAddresses? {
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
