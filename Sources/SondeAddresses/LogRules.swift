/// The second step of the search: rules that decide whether there is an address at a mark.
///
/// The first step finds marks: a `.` between digits, or a `:` before another one or a hexadecimal
/// digit. It must proceed from left to right, must not skip the first mark of any address, must
/// pass the first colon of a run of hexadecimal digits and colons, and must not pass marks before
/// the end of the last result.
///
/// The bytes next to nearly all addresses matter to no rule; only other addresses cost time. No
/// rule looks farther than ``LogMemory/reach`` from an address.
enum LogRules {
  /// Decides whether there is an address at a mark, and returns the position to continue from.
  ///
  /// Appends the address, or both addresses of a tcpdump line. `byBlocks` parses blocks of bytes,
  /// if the processor supports it. Every byte is passed once, so the search is linear.
  @inline(__always)
  static func decide(
    on text: Span<UInt8>,
    at mark: Int,
    byBlocks: Bool,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    text[mark] == UInt8(ascii: ".")
      ? dotted(text, dot: mark, byBlocks, &memory, into: &matches)
      : colons(text, colon: mark, byBlocks, &memory, into: &matches)
  }
}

// MARK: - IPv4

extension LogRules {
  @inline(__always)
  private static func dotted(
    _ text: Span<UInt8>,
    dot: Int,
    _ byBlocks: Bool,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    guard let quad = quad(text, dot, byBlocks), text.byte(quad.end).isPlainBehind else {
      return closely(text, dot: dot, &memory, into: &matches)
    }
    guard !text.byte(quad.start &- 1).isPlainBefore else {
      matches.append(quad.match)
      return quad.end
    }
    #if arch(x86_64)
      if byBlocks, let name = plainName(text, before: quad) {
        return named(name, text, quad, &memory, into: &matches)
      }
    #endif
    return closely(text, dot: dot, &memory, into: &matches)
  }

  @inline(__always)
  private static func quad(_ text: Span<UInt8>, _ dot: Int, _ byBlocks: Bool) -> DottedQuad? {
    #if arch(x86_64)
      if byBlocks { return DottedQuad(text, byBlockWithFirstDot: dot) }
    #endif
    return DottedQuad(text, firstDot: dot)
  }

  /// Decides about a dotted address by everything that may precede or follow it.
  @inline(never)
  private static func closely(
    _ text: Span<UInt8>,
    dot: Int,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    let start = startOfDigits(text, endingAt: dot, most: 3) { $0.isDigit }
    // The digits belong to an escape, whose character is not part of the address.
    guard start < dot else { return dot &+ 1 }
    let floor = max(0, start &- LogMemory.reach)
    let before = LogCharacter(text, endingAt: start, from: floor)
    guard let quad = DottedQuad(text, at: start), parts(text, before, from: floor),
      before.byte != UInt8(ascii: ":") || mayFollowColon(text, at: start, from: floor)
    else { return endOfDots(text, from: dot) }
    let match = quad.match
    if endsDotted(text, at: quad.end, &memory) {
      guard !isVersion(text, match, before, from: floor, &memory) else { return quad.end }
      matches.append(match)
      return quad.end
    }
    return pair(text, match, into: &matches) ?? endOfDots(text, from: dot)
  }

  /// The end of digits with single dots between them, which contain no address.
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

  /// Whether an address may follow the preceding colon.
  ///
  /// Labels, numbers and times may precede the colon, and MAC addresses, but not `::`, the
  /// beginning of an IPv6 address that this would be cut out of, or a browser engine's `rv`.
  static func mayFollowColon(_ text: Span<UInt8>, at start: Int, from floor: Int) -> Bool {
    var groups = ColonGroups(before: start, from: floor)
    var (later, hasLetter): (ColonGroup?, Bool) = (nil, false)
    while true {
      let group = groups.next(text)
      if groups.colons > 1 || later == nil && groups.followsRevision { return false }
      guard let group else { return true }
      hasLetter = hasLetter || group.hasLetter
      // Numbers may be a line number, a time or a port.
      if later != nil, hasLetter, group.begins(with: later, after: 1) { return false }
      later = group
    }
  }
}

// MARK: - Borders

extension LogRules {
  /// Whether a character separates an address from the text before it: it is not a letter, digit or
  /// `_`, nor a `.` after one.
  static func parts(_ text: Span<UInt8>, _ before: LogCharacter, from floor: Int) -> Bool {
    guard before.byte == UInt8(ascii: ".") else { return !before.byte.isWord }
    return !LogCharacter(text, endingAt: before.edge, from: floor).byte.isWord
  }

  /// Whether an IPv4 address may end here: any text may follow a `:`, but `-`, `+` or `~` must not
  /// begin the rest of a version.
  static func endsDotted(_ text: Span<UInt8>, at end: Int, _ memory: inout LogMemory) -> Bool {
    let limit = min(text.count, end &+ LogMemory.reach)
    let next = LogCharacter(text, from: end, to: limit)
    switch next.byte {
    case UInt8(ascii: "."): return !LogCharacter(text, from: next.edge, to: limit).byte.isWord
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "~"):
      return !memory.suffixHoldsLetter(text, from: end)
    default: return !next.byte.isWord
    }
  }

  /// Whether an IPv6 address and its zone may end here.
  static func endsGroups(_ text: Span<UInt8>, at end: Int) -> Bool {
    let limit = min(text.count, end &+ LogMemory.reach)
    let next = LogCharacter(text, from: end, to: limit)
    let isColon = next.byte == UInt8(ascii: ":")
    guard isColon || next.byte == UInt8(ascii: ".") else { return !next.byte.isWord }
    let second = LogCharacter(text, from: next.edge, to: limit).byte
    return !second.isWord && !(isColon && second == UInt8(ascii: ":"))
  }

  /// The start of the digits that end at a position, after any escape that some of them belong to.
  ///
  /// May include one digit more than `most`, which shows that there are too many.
  @inline(__always)
  static func startOfDigits(
    _ text: Span<UInt8>,
    endingAt end: Int,
    most: Int,
    _ isDigit: (UInt8) -> Bool
  ) -> Int {
    let floor = max(0, end &- LogMemory.reach)
    var start = end
    while true {
      if LogCharacter(escape: text, endingAt: start, from: floor) != nil { return start }
      guard end &- start <= most, isDigit(text.byte(start &- 1)) else { return start }
      start &-= 1
    }
  }
}
