// The boundaries of IPv6 addresses in text.

extension LogRules {
  @inline(never)
  static func colons(
    _ text: Span<UInt8>,
    colon: Int,
    _ byBlocks: Bool,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    #if arch(x86_64)
      if byBlocks, let groups = PlainGroups(text, firstColon: colon) {
        matches.append(LogMatch(start: groups.start, end: groups.end, address: groups.address))
        return groups.end
      }
    #endif
    let run = ColonRun(text, colon: colon)
    guard run.mayBeAddress else { return run.lastColon &+ 1 }
    for start in run.starts where begins(text, at: start, run) {
      // Shorter text, `::` included, is not reported as an address.
      for end in run.ends where end > start &+ 2 {
        if let next = match(text, run, start..<end, &memory, into: &matches) { return next }
      }
    }
    return run.lastColon &+ 1
  }

  /// Appends the address of a range and returns where to continue; `nil` if there is none.
  private static func match(
    _ text: Span<UInt8>,
    _ run: ColonRun,
    _ range: Range<Int>,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int? {
    guard range.count <= Address.longestText,
      let address = Address(groups: text.extracting(range))
    else { return nil }
    let zone = zone(of: address, in: text, at: range.upperBound)
    let end = zone?.upperBound ?? range.upperBound
    let match = LogMatch(start: range.lowerBound, end: end, address: address, zone: zone)
    // An address with a dotted tail must end like an IPv4 address.
    let isWhole =
      end > run.end && zone == nil
      ? endsDotted(text, at: end, &memory) : endsGroups(text, at: end)
    guard isWhole else { return zone == nil ? pair(text, match, into: &matches) : nil }
    matches.append(match)
    return end
  }

  /// The length of the longest zone ID; Linux limits interface names to 15 bytes.
  private static let longestZone = 255

  /// The zone of a link-local IPv6 address (RFC 4007 §11), without a final full stop or dash.
  private static func zone(
    of address: Address,
    in text: Span<UInt8>,
    at percent: Int
  ) -> Range<Int>? {
    guard text.byte(percent) == LogCharacter.percent else { return nil }
    guard address.isLinkLocal, !address.isIPv4 else { return nil }
    let isMark = { (byte: UInt8) in byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") }
    var end = percent &+ 1
    while end &- percent <= longestZone, text.byte(end).isWord || isMark(text.byte(end)) {
      end &+= 1
    }
    while isMark(text.byte(end &- 1)) { end &-= 1 }
    return end > percent &+ 1 ? percent &+ 1..<end : nil
  }
}

// MARK: - Where an address begins

extension LogRules {
  /// Whether an address may begin at a position of a run, by its groups and the text before it.
  private static func begins(_ text: Span<UInt8>, at start: Int, _ run: ColonRun) -> Bool {
    let floor = max(0, start &- LogMemory.reach)
    let isDouble = text[start] == UInt8(ascii: ":")
    guard isDouble || start == run.start || text[start &- 1] == UInt8(ascii: ":") else {
      return false
    }
    guard isInUse(text, at: start) else { return false }
    let before = LogCharacter(text, endingAt: start, from: floor)
    guard before.byte == UInt8(ascii: ":") else { return parts(text, before, from: floor) }
    return isDouble
      ? mayFollowWord(text, at: start, before, from: floor)
      : isFirst(text, at: start, from: floor)
  }

  /// Whether an address in use may begin with the groups or the `::` at a position.
  static func isInUse(_ text: Span<UInt8>, at start: Int) -> Bool {
    if text.byte(start) == UInt8(ascii: ":") {
      return text.byte(start &+ 1) == UInt8(ascii: ":")
        && text.byte(start &+ 2) != UInt8(ascii: ":")
    }
    guard let group = ColonGroup(text, at: start) else { return false }
    var next = start &+ group.count
    while text.byte(next) == UInt8(ascii: ":") { next &+= 1 }
    let colons = next &- start &- group.count
    return group.begins(with: ColonGroup(text, at: next), after: colons)
  }

  /// Whether the `:` before a `::` belongs to a word or number.
  private static func mayFollowWord(
    _ text: Span<UInt8>,
    at start: Int,
    _ colon: LogCharacter,
    from floor: Int
  ) -> Bool {
    LogCharacter(text, endingAt: colon.edge, from: floor).byte.isWord
      && mayFollowColon(text, at: start, from: floor)
  }

  /// Whether this is the first of the colon-separated groups that an address may begin with.
  private static func isFirst(_ text: Span<UInt8>, at start: Int, from floor: Int) -> Bool {
    var groups = ColonGroups(before: start, from: floor)
    var later = ColonGroup(text, at: start)
    var isNearest = true
    while true {
      let group = groups.next(text)
      if isNearest, groups.colons > 1 { return false }
      guard let group else { return true }
      if group.begins(with: later, after: groups.colons) { return false }
      (later, isNearest) = (group, false)
    }
  }
}
