/// The rules of the search: whether an address lies at a mark in text, its second step.
///
/// The first step finds a mark: a `.` between digits, or a `:` before another one or a hexadecimal
/// digit. It may do so in any way, as long as it goes from left to right, leaves out no mark that an
/// address begins with, of a run of hexadecimal digits and colons asks about the first colon, and
/// never asks about what lies before the end of the last answer.
enum LogRules {
  /// Decides about the mark at a position.
  ///
  /// - Parameters:
  ///   - text: Where the mark lies.
  ///   - mark: The first mark of what may be an address.
  ///   - byBlocks: Whether addresses are read by blocks of bytes where the processor can.
  ///   - matches: The address is appended, if there is one.
  /// - Returns: Where to look for the next mark. Every byte is stepped over once, which keeps the
  ///   search linear.
  @inline(__always)
  static func decide(
    on text: Span<UInt8>,
    at mark: Int,
    byBlocks: Bool,
    into matches: inout [LogMatch]
  ) -> Int {
    text[mark] == UInt8(ascii: ".")
      ? dotted(text, dot: mark, byBlocks, into: &matches)
      : colons(text, colon: mark, byBlocks, into: &matches)
  }
}

// MARK: - IPv4

extension LogRules {
  @inline(__always)
  private static func dotted(
    _ text: Span<UInt8>,
    dot: Int,
    _ byBlocks: Bool,
    into matches: inout [LogMatch]
  ) -> Int {
    guard let quad = quad(text, dot, byBlocks),
      endsWord(text, at: quad.end),
      startsWord(text, at: quad.start),
      startsDotted(text, at: quad.start),
      !isVersion(text, from: quad.start, to: quad.end)
    else { return endOfDots(text, from: dot) }
    let address = Address(ipv4: quad.number)
    matches.append(LogMatch(start: quad.start, end: quad.end, address: address, zone: nil))
    return quad.end
  }

  @inline(__always)
  private static func quad(_ text: Span<UInt8>, _ dot: Int, _ byBlocks: Bool) -> DottedQuad? {
    #if arch(x86_64)
      if byBlocks { return DottedQuad(text, byBlockWithFirstDot: dot) }
    #endif
    return DottedQuad(text, firstDot: dot)
  }

  /// The end of the digits with single dots between them; none of its marks begins an address.
  @inline(never)
  private static func endOfDots(_ text: Span<UInt8>, from dot: Int) -> Int {
    var end = dot
    while true {
      if text.byte(end).isDigit {
        end &+= 1
      } else if text.byte(end) == UInt8(ascii: "."), text.byte(end &+ 1).isDigit {
        end &+= 2
      } else {
        return end
      }
    }
  }

  /// Whether a dotted address may begin here: a `:` before it is fine, unless it follows a group
  /// of an IPv6 address or is `rv:`, the version of a browser's engine.
  @inline(__always)
  private static func startsDotted(_ text: Span<UInt8>, at start: Int) -> Bool {
    text.byte(start &- 1) != UInt8(ascii: ":") || mayFollowColon(text, at: start)
  }

  private static func mayFollowColon(_ text: Span<UInt8>, at start: Int) -> Bool {
    var colon = start &- 1
    while text.byte(colon &- 1) == UInt8(ascii: ":") { colon &-= 1 }
    if text.byte(colon &- 1) == UInt8(ascii: "v"), text.byte(colon &- 2) == UInt8(ascii: "r") {
      return text.byte(colon &- 3).isWord
    }
    var group = colon
    while colon &- group <= 4, text.byte(group &- 1).isHexDigit { group &-= 1 }
    guard (1...4).contains(colon &- group) else { return true }
    // `node1:` and `example.de:` are names that end like a group.
    return text.byte(group &- 1).isWord || text.byte(group &- 1) == UInt8(ascii: ".")
  }
}

// MARK: - Product versions

extension LogRules {
  /// Whether an IPv4 address is the version of a product, `NAME/1.2.3.4` (RFC 9110 §10.1.5).
  @inline(__always)
  private static func isVersion(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    text.byte(start &- 1) == UInt8(ascii: "/") && followsProduct(text, from: start, to: end)
  }

  private static func followsProduct(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    guard endsVersion(text, at: end) else { return false }
    let slash = start &- 1
    var name = slash
    while isToken(text.byte(name &- 1)) { name &-= 1 }
    guard text.byte(name &- 1) != UInt8(ascii: "/") else { return false }
    // A quote is a token's byte too, yet before a name it opens a quotation.
    while isQuote(text.byte(name)) { name &+= 1 }
    return text.byte(name).isLetter && !isZone(text, from: name, to: slash)
  }

  private static func endsVersion(_ text: Span<UInt8>, at end: Int) -> Bool {
    guard end < text.count else { return true }
    let next = text[end]
    return next.isBlank || isQuote(next) || next == UInt8(ascii: ";")
      || next == UInt8(ascii: ",") || next == UInt8(ascii: ")")
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
  }

  /// A `tchar` of RFC 9110 §5.6.2.
  private static func isToken(_ byte: UInt8) -> Bool {
    if byte.isDigit || byte.isLetter { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }

  /// Whether a name is one that firewalls give a side of theirs, in either case.
  private static func isZone(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    switch end &- start {
    case 3:
      return matches(text, start, "dmz") || matches(text, start, "lan")
        || matches(text, start, "wan")
    case 6: return matches(text, start, "inside")
    case 7: return matches(text, start, "outside")
    default: return false
    }
  }

  private static func matches(_ text: Span<UInt8>, _ start: Int, _ name: StaticString) -> Bool {
    (0..<name.utf8CodeUnitCount).allSatisfy { index in
      unsafe text.byte(start &+ index) | 0x20 == name.utf8Start[index]
    }
  }
}

// MARK: - IPv6

extension LogRules {
  @inline(never)
  private static func colons(
    _ text: Span<UInt8>,
    colon: Int,
    _ byBlocks: Bool,
    into matches: inout [LogMatch]
  ) -> Int {
    #if arch(x86_64)
      if byBlocks, let groups = PlainGroups(text, firstColon: colon) {
        matches.append(
          LogMatch(start: groups.start, end: groups.end, address: groups.address, zone: nil)
        )
        return groups.end
      }
    #endif
    let run = ColonRun(text, colon: colon)
    guard run.mayBeAddress else { return run.lastColon &+ 1 }
    for start in run.starts {
      for end in run.ends {
        guard let match = match(text, run, from: start, to: end) else { continue }
        matches.append(match)
        // What follows a zone may be colons, to which its last letters do not belong.
        return max(endOfColons(text, from: match.end), run.lastColon &+ 1)
      }
    }
    return run.lastColon &+ 1
  }

  /// The address from one place of a run to another, if it stands on its own.
  ///
  /// A mapped address with a dotted tail is an IPv4 address, and its borders are those of one.
  private static func match(
    _ text: Span<UInt8>,
    _ run: ColonRun,
    from start: Int,
    to end: Int
  ) -> LogMatch? {
    guard end &- start > 2, end &- start <= Address.longestText else { return nil }
    guard let address = Address(groups: text.extracting(start..<end)) else { return nil }
    let isDotted = end > run.end && address.isIPv4
    guard startsWord(text, at: start),
      isDotted ? startsDotted(text, at: start) : startsGroups(text, at: start)
    else { return nil }
    let zone = zone(of: address, in: text, at: end)
    let last = zone?.upperBound ?? end
    guard endsWord(text, at: last), isDotted || endsGroups(text, at: last) else { return nil }
    return LogMatch(start: start, end: last, address: address, zone: zone)
  }

  /// The zone of a link-local IPv6 address (RFC 4007 §11): what an interface's name is made of,
  /// without the full stop or dash that ends a sentence.
  private static func zone(
    of address: Address,
    in text: Span<UInt8>,
    at percent: Int
  ) -> Range<Int>? {
    guard text.byte(percent) == UInt8(ascii: "%") else { return nil }
    guard address.isLinkLocal, !address.isIPv4 else { return nil }
    let isMark = { (byte: UInt8) in byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") }
    var end = percent &+ 1
    while text.byte(end).isWord || isMark(text.byte(end)) { end &+= 1 }
    while isMark(text.byte(end &- 1)) { end &-= 1 }
    return end > percent &+ 1 ? percent &+ 1..<end : nil
  }

  /// Whether the colons before an IPv6 address, if any, follow no letter or digit.
  private static func startsGroups(_ text: Span<UInt8>, at start: Int) -> Bool {
    var before = start &- 1
    guard text.byte(before) == UInt8(ascii: ":") else { return true }
    while text.byte(before) == UInt8(ascii: ":") { before &-= 1 }
    return !(text.byte(before).isLetter || text.byte(before).isDigit)
  }

  private static func endOfColons(_ text: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while text.byte(end) == UInt8(ascii: ":") { end &+= 1 }
    return end
  }

  /// Whether the colons after an IPv6 address, if any, go on with no letter or digit.
  private static func endsGroups(_ text: Span<UInt8>, at end: Int) -> Bool {
    let after = endOfColons(text, from: end)
    return after == end || !(text.byte(after).isLetter || text.byte(after).isDigit)
  }
}

// MARK: - Words

extension LogRules {
  /// Whether no letter, digit or `_` touches from the left, nor a `.` that follows one.
  @inline(__always)
  private static func startsWord(_ text: Span<UInt8>, at start: Int) -> Bool {
    let before = text.byte(start &- 1)
    guard before == UInt8(ascii: ".") else { return !before.isWord }
    return !text.byte(start &- 2).isWord
  }

  /// Whether no letter, digit or `_` touches from the right, nor a `.` that goes on with one.
  @inline(__always)
  private static func endsWord(_ text: Span<UInt8>, at end: Int) -> Bool {
    let after = text.byte(end)
    guard after == UInt8(ascii: ".") else { return !after.isWord }
    return !text.byte(end &+ 1).isWord
  }
}
