/// A place where text can be cut in two that are searched apart, without an address being cut,
/// doubled or made up.
public struct LogCut: Equatable, Sendable {
  /// The offset of the first byte behind the cut.
  public let offset: Int

  /// Whether neither side says anything of an address on the other: the cut lies between two lines.
  ///
  /// Otherwise ``reach`` bytes of the other side must be seen, and what begins behind the cut belongs
  /// there.
  public let isClean: Bool

  /// Makes a cut.
  public init(offset: Int, isClean: Bool) {
    (self.offset, self.isClean) = (offset, isClean)
  }

  /// More than the rules look from an address, its zone and port included.
  public static let reach = 16 << 10

  /// The first place to cut at or behind an offset.
  ///
  /// Nearly always that is behind a line end. Where none comes for ``reach`` bytes, it is the offset
  /// itself, or the end of the address or pair of addresses that lies across it.
  /// - Parameters:
  ///   - text: The text, with ``reach`` bytes before the offset where there are as many.
  ///   - offset: A place in the text or its end.
  /// - Returns: `nil` when the text ends before there is an answer.
  public static func first(in text: Span<UInt8>, at offset: Int) -> LogCut? {
    guard offset > 0 else { return LogCut(offset: 0, isClean: true) }
    var position = offset &- 1
    let end = min(text.count, position &+ reach)
    while position < end {
      if text[position].endsLine { return LogCut(offset: position &+ 1, isClean: true) }
      position &+= 1
    }
    guard end == offset &- 1 &+ reach else { return nil }
    return LogCut(offset: endOfAddress(in: text, across: offset), isClean: false)
  }

  /// The last place to cut text that ends too early: behind its last whole word.
  ///
  /// The word that ends it may be the begin of another one, and an address in it of another address.
  /// - Returns: A clean cut; the begin where ``reach`` bytes from the end hold no end of a word.
  public static func lastClean(in text: Span<UInt8>) -> LogCut {
    var position = text.count
    while position > max(0, text.count &- reach), !text[position &- 1].endsWord { position &-= 1 }
    let isFound = position > 0 && text[position &- 1].endsWord
    return LogCut(offset: isFound ? position : 0, isClean: true)
  }

  /// The last place to cut, ``reach`` bytes or more before the end where it is not clean.
  ///
  /// - Parameter text: The text, with ``reach`` bytes at its begin that were searched before.
  /// - Returns: `nil` when there is none yet.
  public static func last(in text: Span<UInt8>) -> LogCut? {
    // No farther back, or a line end that was searched before would stay the last one for ever.
    let begin = max(0, text.count &- 4 * reach)
    var line = text.count
    while line > begin, !text[line &- 1].endsLine { line &-= 1 }
    if line > begin { return LogCut(offset: line, isClean: true) }
    guard begin > 0 else { return nil }
    return first(in: text, at: text.count &- 2 * reach)
  }

  /// More than two addresses with their zones or ports take, all of it escaped.
  private static let longestPair = 2 << 10

  /// The end of the address or pair of addresses that lies across an offset, or the offset.
  private static func endOfAddress(in text: Span<UInt8>, across offset: Int) -> Int {
    let end = min(text.count, offset &+ longestPair &+ LogMemory.reach)
    let part = text.extracting(0..<end)
    var matches: [LogMatch] = []
    searchLog(part, from: max(0, offset &- longestPair), into: &matches)
    guard var index = matches.lastIndex(where: { $0.start < offset }) else { return offset }
    // Behind the first port of tcpdump's comes a blank, behind the second one a colon.
    let port = matches[index].insertion
    let behind = LogCharacter(part, from: port, to: part.count).byte
    if port > matches[index].end, behind == UInt8(ascii: " ") { index &+= 1 }
    return max(offset, matches[index].insertion)
  }
}

/// Finds the addresses that begin between a place and a cut.
///
/// - Parameters:
///   - text: The text, to both sides of what is searched as far as the cuts there want it.
///   - start: The cut before what is searched.
///   - cut: The cut behind it.
///   - matches: What is found is appended, with offsets into `text`.
public func searchLog(
  _ text: Span<UInt8>,
  from start: Int,
  to cut: LogCut,
  into matches: inout [LogMatch]
) {
  guard start < cut.offset else { return }
  let end = cut.isClean ? cut.offset : min(text.count, cut.offset &+ LogCut.reach)
  searchLog(text.extracting(0..<end), from: start, into: &matches)
  while let last = matches.last, last.start >= cut.offset { matches.removeLast() }
}

extension UInt8 {
  @inline(__always)
  fileprivate var endsLine: Bool { self == 0x0a }

  /// Whether this byte ends a word: it is no part of an address, a zone, a product's name or an
  /// escape, nor `/` or `:`, which join what is.
  fileprivate var endsWord: Bool {
    // Of the ASCII characters a bit for each that joins: letters, digits, !#$%&'*+-./:\^_`|~.
    let joining: (UInt64, UInt64) = (0x07ff_ecfa_0000_0000, 0x57ff_ffff_d7ff_fffe)
    let set = self & 0x40 == 0 ? joining.0 : joining.1
    return self >= 0x80 || set >> UInt64(self & 0x3f) & 1 == 0
  }
}
