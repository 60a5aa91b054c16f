extension Span<UInt8> {
  /// The addresses of a packet in a PPP frame, with or without HDLC bytes (RFC 1661 §2, RFC 1662
  /// §3.1, and RFC 1547 §4.3.1 for Cisco's).
  func addresses(ofPPPAt start: Int) -> PacketAddresses? {
    guard start + 1 < count else { return nil }
    switch (self[start], self[start + 1]) {
    case (0x0f, 0), (0x8f, 0): return addresses(ofHDLCAt: start)
    // The all-stations address, or pppd's direction instead of it.
    case (0xff, 0x03), (0x00, 0x03), (0x01, 0x03): return addresses(ofProtocolOfPPPAt: start + 2)
    default: return addresses(ofProtocolOfPPPAt: start)
    }
  }

  /// The addresses after a protocol number, which takes one byte if it is odd (RFC 1661 §6.5).
  private func addresses(ofProtocolOfPPPAt start: Int) -> PacketAddresses? {
    guard start < count else { return nil }
    let isShort = self[start] & 1 == 1
    let number = isShort ? Int(self[start]) : number(ofTwoAt: start)
    let packet = start + (isShort ? 1 : 2)
    return switch number {
    case 0x21: addresses(ofType: 0x0800, at: packet)
    case 0x57: addresses(ofType: 0x86dd, at: packet)
    default: nil
    }
  }

  /// The addresses after Cisco's address, control byte and type.
  func addresses(ofHDLCAt start: Int) -> PacketAddresses? {
    addresses(ofType: number(ofTwoAt: start + 2), at: start + 4)
  }

  /// The addresses of a packet in a Frame Relay frame.
  ///
  /// An address of two to four bytes, the last one odd (ITU-T Q.922 §3.3), precedes a protocol (RFC
  /// 2427 §3) or Cisco's type.
  func addresses(ofFrameRelayAt start: Int) -> PacketAddresses? {
    var control = start
    while control < count, control < start + 3, self[control] & 1 == 0 { control += 1 }
    control += 1
    guard control + 1 < count else { return nil }
    guard self[control] == 0x03 else {
      return addresses(ofType: number(ofTwoAt: control), at: control + 2)
    }
    // A zero byte may follow for alignment.
    let identifier = self[control + 1] == 0 ? control + 2 : control + 1
    guard identifier < count else { return nil }
    return switch self[identifier] {
    case 0xcc: addresses(ofType: 0x0800, at: identifier + 1)
    case 0x8e: addresses(ofType: 0x86dd, at: identifier + 1)
    case 0x80: addresses(ofSNAPAt: identifier + 1)
    default: nil
    }
  }

  /// The addresses after an organization code and a type (RFC 1042), if it is an Ethernet type.
  func addresses(ofSNAPAt start: Int) -> PacketAddresses? {
    guard start + 3 <= count, self[start] == 0, self[start + 1] == 0,
      // IEEE 802.1H has its own code for frames bridged from Ethernet.
      self[start + 2] == 0 || self[start + 2] == 0xf8
    else { return nil }
    return addresses(behindTypeAt: start + 3)
  }
}
