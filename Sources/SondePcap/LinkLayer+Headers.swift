extension Span<UInt8> {
  /// The number of two bytes, the first one lower; `nil` where they were not captured.
  private func lowFirst(ofTwoAt index: Int) -> Int? {
    guard index + 2 <= count else { return nil }
    return Int(self[index]) | Int(self[index + 1]) << 8
  }

  private func lowFirst(ofFourAt index: Int) -> Int? {
    guard let low = lowFirst(ofTwoAt: index), let high = lowFirst(ofTwoAt: index + 2) else {
      return nil
    }
    return low | high << 16
  }

  // MARK: - Netfilter's log

  /// The addresses of a packet that netfilter logged: behind a header of four bytes stand attributes, each
  /// behind its length, without what fills it up to four bytes, and its type
  /// (https://www.tcpdump.org/linktypes/LINKTYPE_NFLOG.html).
  func addressesOfNetfilterLog() -> PacketAddresses? {
    var start = 4
    while start + 4 <= count {
      // libpcap has put them into this machine's order.
      let numbers = [start, start + 2].map { index in
        Int(UInt16(littleEndian: UInt16(self[index]) | UInt16(self[index + 1]) << 8))
      }
      guard numbers[0] >= 4 else { return nil }
      if numbers[1] == 9 { return addresses(ofIPAt: start + 4) }
      start += (numbers[0] + 3) & ~3
    }
    return nil
  }

  // MARK: - Apple's packet tap

  /// The addresses of a packet behind a header that says how long it is, what follows, and its link type
  /// (https://www.tcpdump.org/linktypes/LINKTYPE_PKTAP.html).
  func addressesOfPacketTap() -> PacketAddresses? {
    guard let length = lowFirst(ofFourAt: 0), length >= 12, length <= count,
      lowFirst(ofFourAt: 4) == 1, let number = lowFirst(ofFourAt: 8),
      let link = LinkLayer(number: Int32(truncatingIfNeeded: number)), link != .packetTap
    else { return nil }
    return link.addresses(of: extracting(length..<count))
  }

  // MARK: - IEEE 802.11

  /// The addresses of a packet in a frame of IEEE 802.11 behind a header that says how it came
  /// (https://www.radiotap.org).
  func addressesOfRadiotap() -> PacketAddresses? {
    guard count > 8, self[0] == 0, let length = lowFirst(ofTwoAt: 2), length >= 8, length < count
    else { return nil }
    let flags = extracting(0..<length).flagsOfRadiotap
    return extracting(length..<count).addressesOfWireless(isPadded: flags & 0x20 != 0)
  }

  /// The flags among the fields, which stand in order behind the words that say which there are.
  private var flagsOfRadiotap: UInt8 {
    var words = 4
    // The highest bit of each says that another one follows.
    while let word = lowFirst(ofFourAt: words), word >> 31 & 1 == 1 { words += 4 }
    guard let present = lowFirst(ofFourAt: 4), present & 2 != 0 else { return 0 }
    var place = words + 4
    // A time of eight bytes, at a multiple of them, goes before.
    if present & 1 != 0 { place = (place + 7) & ~7 + 8 }
    return place < count ? self[place] : 0
  }

  /// The addresses of a packet in a frame of data (IEEE 802.11-2020 §9.2.4, §9.3.2), the first of several
  /// in one; there are none in an encrypted frame, and in fragments but the first.
  private func addressesOfWireless(isPadded: Bool) -> PacketAddresses? {
    guard count >= 24, self[0] & 0x0f == 0x08, self[0] & 0x40 == 0, self[1] & 0x40 == 0,
      self[22] & 0x0f == 0
    else { return nil }
    // From one access point to another there is a fourth address.
    var end = self[1] & 0x03 == 0x03 ? 30 : 24
    var isAggregate = false
    if self[0] & 0x80 != 0 {
      guard end + 2 <= count else { return nil }
      isAggregate = self[end] & 0x80 != 0
      // The order bit says that there is a control field of high throughput.
      end += self[1] & 0x80 != 0 ? 6 : 2
    }
    if isPadded { end = (end + 3) & ~3 }
    // Each of several packets has two addresses and a length of its own.
    if isAggregate { end += 14 }
    // The logical link control says that SNAP follows (IEEE 802.2).
    guard end + 3 <= count, self[end] == 0xaa, self[end + 1] == 0xaa, self[end + 2] == 0x03 else {
      return nil
    }
    return addresses(ofSNAPAt: end + 3)
  }
}
