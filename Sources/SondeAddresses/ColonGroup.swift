/// A group of one to four hexadecimal digits next to a colon.
struct ColonGroup {
  let value: UInt16
  let count: Int

  let hasLetter: Bool

  /// Whether this is a zero as in addresses, not the `00` of a time.
  var isZero: Bool { value == 0 && count != 2 }

  init(value: UInt16, count: Int, hasLetter: Bool) {
    (self.value, self.count, self.hasLetter) = (value, count, hasLetter)
  }

  /// Parses the group at a position; fails if it has no digits or more than four.
  init?(_ text: Span<UInt8>, at start: Int) {
    var (end, value, hasLetter) = (start, UInt16(0), false)
    while text.byte(end).isHexDigit {
      guard end &- start < 4 else { return nil }
      value = value << 4 | UInt16(text[end].hexValue)
      hasLetter = hasLetter || text[end].isLetter
      end &+= 1
    }
    guard end > start else { return nil }
    self.init(value: value, count: end &- start, hasLetter: hasLetter)
  }

  /// Whether an address in use is likely to begin with this group and what follows it.
  ///
  /// Addresses in use are unspecified and embedded addresses, which begin with zeros, NAT64 (RFC
  /// 6052), the discard prefix (RFC 6666), segment routing (RFC 9602), global unicast (2000::/3),
  /// unique local, link-local and multicast addresses. Other text with colons is more likely
  /// something else.
  func begins(with next: ColonGroup?, after colons: Int) -> Bool {
    switch value {
    case 0x2000...0x3fff, 0xfc00...0xffff, 0x5f00: true
    case 0: isZero && colons == 1 && next?.isZero == true
    case 0x64: colons == 1 && next?.value == 0xff9b
    case 0x100: colons > 1 || colons == 1 && next?.isZero == true
    default: false
    }
  }
}

/// The groups before a position, read from right to left up to the first word that is not one.
struct ColonGroups {
  private let floor: Int
  private var position: Int

  /// The number of colons to the right of the group, or of the word that is not a group, read last.
  private(set) var colons = 0

  /// Whether the groups follow the word `rv`, which precedes a browser engine's version.
  private(set) var followsRevision = false

  /// Starts at a position; text before `floor` is ignored.
  init(before position: Int, from floor: Int) { (self.position, self.floor) = (position, floor) }

  mutating func next(_ text: Span<UInt8>) -> ColonGroup? {
    colons = 0
    var before = LogCharacter(text, endingAt: position, from: floor)
    while before.byte == UInt8(ascii: ":") {
      colons &+= 1
      before = LogCharacter(text, endingAt: before.edge, from: floor)
    }
    guard colons > 0 else { return nil }
    followsRevision = colons == 1 && isRevision(text, before)
    var (count, value, hasLetter) = (0, UInt16(0), false)
    while count < 4, before.byte.isHexDigit {
      value |= UInt16(before.byte.hexValue) << UInt16(4 &* count)
      hasLetter = hasLetter || before.byte.isLetter
      count &+= 1
      position = before.edge
      before = LogCharacter(text, endingAt: position, from: floor)
    }
    guard count > 0, LogRules.parts(text, before, from: floor) else { return nil }
    return ColonGroup(value: value, count: count, hasLetter: hasLetter)
  }

  /// Whether the word `rv` ends with this character.
  private func isRevision(_ text: Span<UInt8>, _ last: LogCharacter) -> Bool {
    guard last.byte == UInt8(ascii: "v") else { return false }
    let first = LogCharacter(text, endingAt: last.edge, from: floor)
    guard first.byte == UInt8(ascii: "r") else { return false }
    return !LogCharacter(text, endingAt: first.edge, from: floor).byte.isWord
  }
}
