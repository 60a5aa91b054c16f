extension Span<UInt8> {
  /// The little-endian number in two bytes; `nil` if they were not captured.
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

  /// The addresses of a packet logged by netfilter.
  ///
  /// A header of four bytes precedes attributes with length (without padding to four bytes) and
  /// type (https://www.tcpdump.org/linktypes/LINKTYPE_NFLOG.html).
  func addressesOfNetfilterLog() -> PacketAddresses? {
    var start = 4
    while start + 4 <= count {
      // libpcap has converted them to native byte order.
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

  /// The addresses of a packet after a header with its own length, the type of the rest and its
  /// link type (https://www.tcpdump.org/linktypes/LINKTYPE_PKTAP.html).
  func addressesOfPacketTap() -> PacketAddresses? {
    guard let length = lowFirst(ofFourAt: 0), length >= 12, length <= count,
      lowFirst(ofFourAt: 4) == 1, let number = lowFirst(ofFourAt: 8),
      let link = LinkLayer(number: Int32(truncatingIfNeeded: number)), link != .packetTap
    else { return nil }
    return link.addresses(of: extracting(length..<count))
  }

  // MARK: - IEEE 802.11

  /// The addresses of a packet in an IEEE 802.11 frame after a radiotap header
  /// (https://www.radiotap.org).
  func addressesOfRadiotap() -> PacketAddresses? {
    guard count > 8, self[0] == 0, let length = lowFirst(ofTwoAt: 2), length >= 8, length < count
    else { return nil }
    let flags = extracting(0..<length).flagsOfRadiotap
    return extracting(length..<count).addressesOfWireless(isPadded: flags & 0x20 != 0)
  }

  /// The flags field; the fields follow the words that declare them, in order.
  private var flagsOfRadiotap: UInt8 {
    var words = 4
    // The highest bit of each word declares another one.
    while let word = lowFirst(ofFourAt: words), word >> 31 & 1 == 1 { words += 4 }
    guard let present = lowFirst(ofFourAt: 4), present & 2 != 0 else { return 0 }
    var place = words + 4
    // A time of eight bytes, aligned to eight bytes, precedes the flags.
    if present & 1 != 0 { place = (place + 7) & ~7 + 8 }
    return place < count ? self[place] : 0
  }

  /// The addresses of the first packet in a data frame (IEEE 802.11-2020 §9.2.4, §9.3.2); none in
  /// encrypted frames and in fragments after the first.
  private func addressesOfWireless(isPadded: Bool) -> PacketAddresses? {
    guard count >= 24, self[0] & 0x0f == 0x08, self[0] & 0x40 == 0, self[1] & 0x40 == 0,
      self[22] & 0x0f == 0
    else { return nil }
    // Frames between access points have a fourth address.
    var end = self[1] & 0x03 == 0x03 ? 30 : 24
    var isAggregate = false
    if self[0] & 0x80 != 0 {
      guard end + 2 <= count else { return nil }
      isAggregate = self[end] & 0x80 != 0
      // The order bit declares a high throughput control field.
      end += self[1] & 0x80 != 0 ? 6 : 2
    }
    if isPadded { end = (end + 3) & ~3 }
    // Each packet of an aggregate has two addresses and a length.
    if isAggregate { end += 14 }
    // The logical link control declares SNAP (IEEE 802.2).
    guard end + 3 <= count, self[end] == 0xaa, self[end + 1] == 0xaa, self[end + 2] == 0x03 else {
      return nil
    }
    return addresses(ofSNAPAt: end + 3)
  }
}
