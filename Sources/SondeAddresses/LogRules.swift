/// The rules of the search: whether an address lies at a mark in text, its second step.
///
/// The first step finds a mark: a `.` between digits, or a `:` before another one or a hexadecimal
/// digit. It may do so in any way, as long as it goes from left to right, leaves out no mark that an
/// address begins with, of a run of hexadecimal digits and colons asks about the first colon, and
/// never asks about what lies before the end of the last answer.
///
/// Nearly all addresses have beside them bytes that no rule asks about; only the others pay for the
/// rules. No rule looks farther than ``LogMemory/reach`` from an address.
enum LogRules {
  /// Decides about the mark at a position.
  ///
  /// - Parameters:
  ///   - text: Where the mark lies.
  ///   - mark: The first mark of what may be an address.
  ///   - byBlocks: Whether addresses are read by blocks of bytes where the processor can.
  ///   - memory: What earlier decisions have seen of the text.
  ///   - matches: The address is appended, if there is one; both of a line of tcpdump's.
  /// - Returns: Where to look for the next mark. Every byte is stepped over once, which keeps the
  ///   search linear.
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

  /// Decides about a dotted address by all that may stand beside it.
  @inline(never)
  private static func closely(
    _ text: Span<UInt8>,
    dot: Int,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    let start = startOfDigits(text, endingAt: dot, most: 3) { $0.isDigit }
    // The digits are an escape's, and its character no part of what follows.
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

  /// The end of the digits with single dots between them; none of its marks begins an address.
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

  /// Whether an address may follow the colon before it.
  ///
  /// Labels, numbers and times may stand there, and MAC addresses, but neither `::` nor the begin
  /// of an IPv6 address that this would be cut out of, nor the `rv:` of a browser's engine.
  static func mayFollowColon(_ text: Span<UInt8>, at start: Int, from floor: Int) -> Bool {
    var groups = ColonGroups(before: start, from: floor)
    var (later, hasLetter): (ColonGroup?, Bool) = (nil, false)
    while true {
      let group = groups.next(text)
      if groups.colons > 1 || later == nil && groups.followsRevision { return false }
      guard let group else { return true }
      hasLetter = hasLetter || group.hasLetter
      // A number alone, or with others, may be one of a line, a time or a port.
      if later != nil, hasLetter, group.begins(with: later, after: 1) { return false }
      later = group
    }
  }
}

// MARK: - Borders

extension LogRules {
  /// Whether a character parts an address from what lies before: it is no letter, digit or `_`, nor
  /// a `.` that follows one.
  static func parts(_ text: Span<UInt8>, _ before: LogCharacter, from floor: Int) -> Bool {
    guard before.byte == UInt8(ascii: ".") else { return !before.byte.isWord }
    return !LogCharacter(text, endingAt: before.edge, from: floor).byte.isWord
  }

  /// Whether an IPv4 address may end here: with a `:` anything may follow it, with `-`, `+` or `~`
  /// not the rest of a version.
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

  /// Whether an IPv6 address may end here, with its zone.
  static func endsGroups(_ text: Span<UInt8>, at end: Int) -> Bool {
    let limit = min(text.count, end &+ LogMemory.reach)
    let next = LogCharacter(text, from: end, to: limit)
    let isColon = next.byte == UInt8(ascii: ":")
    guard isColon || next.byte == UInt8(ascii: ".") else { return !next.byte.isWord }
    let second = LogCharacter(text, from: next.edge, to: limit).byte
    return !second.isWord && !(isColon && second == UInt8(ascii: ":"))
  }

  /// Where the digits that end at a position begin: behind an escape of which some are the end.
  ///
  /// One digit more than `most` may be taken in, which shows that there are too many.
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
