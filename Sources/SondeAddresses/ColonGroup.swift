/// One to four hexadecimal digits beside a colon.
struct ColonGroup {
  let value: UInt16

  /// How many digits there are.
  let count: Int

  let hasLetter: Bool

  /// A group of zero as addresses have it, not `00` as times have it.
  var isZero: Bool { value == 0 && count != 2 }

  init(value: UInt16, count: Int, hasLetter: Bool) {
    (self.value, self.count, self.hasLetter) = (value, count, hasLetter)
  }

  /// Reads the group that begins at a position; fails where there are no digits, or more.
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

  /// Whether an address in use begins with this group.
  ///
  /// In use are unspecified and embedded addresses that begin with zeros, NAT64 (RFC 6052), the
  /// discard prefix (RFC 6666), segment routing (RFC 9602), global unicast (2000::/3), unique
  /// local, link-local and multicast addresses. All else with colons is likelier to be something
  /// else.
  /// - Parameters:
  ///   - next: The group that follows.
  ///   - colons: How many colons there are between the two.
  /// - Returns: Whether it is likely the begin of an address.
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

/// The groups joined by colons that end before a place, from right to left, back to the first word
/// that is none.
struct ColonGroups {
  private let floor: Int
  private var position: Int

  /// How many colons stand right of the group that was read last, or of what is none.
  private(set) var colons = 0

  /// Whether they follow the word `rv`, which the version of a browser's engine does.
  private(set) var followsRevision = false

  /// Looks at what ends at a position, as far as the text from `floor` on tells.
  init(before position: Int, from floor: Int) {
    (self.position, self.floor) = (position, floor)
  }

  /// Reads the next group to the left.
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

  /// Whether the word `rv` ends with a character.
  private func isRevision(_ text: Span<UInt8>, _ last: LogCharacter) -> Bool {
    guard last.byte == UInt8(ascii: "v") else { return false }
    let first = LogCharacter(text, endingAt: last.edge, from: floor)
    guard first.byte == UInt8(ascii: "r") else { return false }
    return !LogCharacter(text, endingAt: first.edge, from: floor).byte.isWord
  }
}
