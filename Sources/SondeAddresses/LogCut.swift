/// A position where text can be divided for separate searches, so that no address is cut, doubled
/// or invented.
public struct LogCut: Equatable, Sendable {
  /// The offset of the first byte after the cut.
  public let offset: Int

  /// Whether the two sides are independent, because the cut is between two lines.
  ///
  /// Otherwise each search needs ``reach`` bytes of the other side, and addresses that begin after
  /// the cut belong to the second one.
  public let isClean: Bool

  /// Creates a cut.
  public init(offset: Int, isClean: Bool) { (self.offset, self.isClean) = (offset, isClean) }

  /// A bound on the distance that the rules look from an address, zone and port included.
  public static let reach = 16 << 10

  /// The first possible cut at or after an offset; `nil` if more text is needed.
  ///
  /// Usually it follows a line end. If there is none within ``reach`` bytes, it is the offset
  /// itself, or the end of the address or address pair that contains it. The text includes the
  /// ``reach`` bytes before the offset, if there are that many.
  ///
  /// `refangs` is as of ``searchLog(_:from:refangs:into:)``.
  public static func first(
    in text: Span<UInt8>,
    at offset: Int,
    refangs: Bool = false
  ) -> LogCut? {
    guard offset > 0 else { return LogCut(offset: 0, isClean: true) }
    var position = offset &- 1
    let end = min(text.count, position &+ reach)
    while position < end {
      if text[position].endsLine { return LogCut(offset: position &+ 1, isClean: true) }
      position &+= 1
    }
    guard end == offset &- 1 &+ reach else { return nil }
    return LogCut(offset: endOfAddress(in: text, across: offset, refangs), isClean: false)
  }

  /// The last clean cut of truncated text: after its last complete word.
  ///
  /// The last word may be incomplete, and an address in it may be part of another address.
  /// - Returns: A clean cut; at the start if the last ``reach`` bytes hold no end of a word.
  public static func lastClean(in text: Span<UInt8>, refangs: Bool = false) -> LogCut {
    var position = text.count
    while position > max(0, text.count &- reach), !text[position &- 1].endsWord(refangs) {
      position &-= 1
    }
    let isFound = position > 0 && text[position &- 1].endsWord(refangs)
    return LogCut(offset: isFound ? position : 0, isClean: true)
  }

  /// The last possible cut, at least ``reach`` bytes before the end unless it is clean.
  ///
  /// The first ``reach`` bytes were already searched. `nil` if there is no cut yet.
  public static func last(in text: Span<UInt8>, refangs: Bool = false) -> LogCut? {
    // Not farther back, or a line end that was already searched would remain the last one
    // forever.
    let begin = max(0, text.count &- 4 * reach)
    var line = text.count
    while line > begin, !text[line &- 1].endsLine { line &-= 1 }
    if line > begin { return LogCut(offset: line, isClean: true) }
    guard begin > 0 else { return nil }
    return first(in: text, at: text.count &- 2 * reach, refangs: refangs)
  }

  /// A bound on the length of two addresses with zones or ports, all of it escaped.
  private static let longestPair = 2 << 10

  /// The end of the address or address pair that contains an offset, or the offset itself.
  private static func endOfAddress(
    in text: Span<UInt8>,
    across offset: Int,
    _ refangs: Bool
  ) -> Int {
    let end = min(text.count, offset &+ longestPair &+ LogMemory.reach)
    let part = text.extracting(0..<end)
    var matches: [LogMatch] = []
    searchLog(part, from: max(0, offset &- longestPair), refangs: refangs, into: &matches)
    guard var index = matches.lastIndex(where: { $0.start < offset }) else { return offset }
    // In tcpdump's output a blank follows the first port, a colon the second one.
    let port = matches[index].insertion
    let behind = LogCharacter(part, from: port, to: part.count).byte
    if port > matches[index].end, behind == UInt8(ascii: " ") { index &+= 1 }
    return max(offset, matches[index].insertion)
  }
}

/// Appends the addresses that begin between a position and a cut to `matches`.
///
/// The text needs as much context on both sides as the cuts require.
public func searchLog(
  _ text: Span<UInt8>,
  from start: Int,
  to cut: LogCut,
  refangs: Bool = false,
  into matches: inout [LogMatch]
) {
  guard start < cut.offset else { return }
  let end = cut.isClean ? cut.offset : min(text.count, cut.offset &+ LogCut.reach)
  searchLog(text.extracting(0..<end), from: start, refangs: refangs, into: &matches)
  while let last = matches.last, last.start >= cut.offset { matches.removeLast() }
}

extension UInt8 {
  @inline(__always)
  fileprivate var endsLine: Bool { self == 0x0a }

  /// Whether this byte ends a word.
  ///
  /// It is not part of an address, zone, product name or escape, nor `/` or `:`, which join these.
  /// With `refangs`, a bracket may be part of a mark.
  fileprivate func endsWord(_ refangs: Bool) -> Bool {
    if refangs, "[](){}".utf8.contains(self) { return false }
    // One bit per joining ASCII character: letters, digits, !#$%&'*+-./:\^_`|~.
    let joining: (UInt64, UInt64) = (0x07ff_ecfa_0000_0000, 0x57ff_ffff_d7ff_fffe)
    let set = self & 0x40 == 0 ? joining.0 : joining.1
    return self >= 0x80 || set >> UInt64(self & 0x3f) & 1 == 0
  }
}
