/// A place where text can be cut in two that are searched apart, without an address being cut,
/// doubled or made up.
public struct LogCut: Equatable, Sendable {
  /// The offset of the first byte behind the cut.
  public let offset: Int

  /// Whether neither side says anything of an address on the other.
  ///
  /// Otherwise ``reach`` bytes of the other side must be seen, and what begins behind the cut belongs
  /// there.
  public let isClean: Bool

  /// Makes a cut.
  public init(offset: Int, isClean: Bool) {
    (self.offset, self.isClean) = (offset, isClean)
  }

  /// As far as the rules look from an address in earnest: beyond, a product's name or a zone is cut
  /// short.
  public static let reach = 8 << 10

  /// The first place to cut at or behind an offset.
  ///
  /// Nearly always that is behind a space or the like. Where none comes for ``reach`` bytes, it is
  /// the offset itself or the end of the address that lies across it.
  /// - Parameters:
  ///   - text: The text, with ``reach`` bytes before the offset where there are as many.
  ///   - offset: A place in the text or its end.
  /// - Returns: `nil` when the text ends before there is an answer.
  public static func first(in text: Span<UInt8>, at offset: Int) -> LogCut? {
    guard offset > 0 else { return LogCut(offset: 0, isClean: true) }
    var position = offset &- 1
    let end = min(text.count, position &+ reach)
    while position < end {
      if text[position].parts { return LogCut(offset: position &+ 1, isClean: true) }
      position &+= 1
    }
    guard end == offset &- 1 &+ reach else { return nil }
    return LogCut(offset: endOfAddress(in: text, across: offset), isClean: false)
  }

  /// The last place to cut cleanly, within ``reach`` bytes from the end; the begin where there is
  /// none.
  public static func lastClean(in text: Span<UInt8>) -> LogCut {
    var position = text.count
    while position > max(0, text.count &- reach), !text[position &- 1].parts { position &-= 1 }
    let isFound = position > 0 && text[position &- 1].parts
    return LogCut(offset: isFound ? position : 0, isClean: true)
  }

  /// The last place to cut, ``reach`` bytes or more before the end where it is not clean.
  ///
  /// - Parameter text: The text, with ``reach`` bytes at its begin that were searched before.
  /// - Returns: `nil` when there is none yet.
  public static func last(in text: Span<UInt8>) -> LogCut? {
    let clean = lastClean(in: text)
    if clean.offset > 0 { return clean }
    guard text.count > 4 * reach else { return nil }
    return first(in: text, at: text.count &- 2 * reach)
  }

  /// The end of the address that lies across an offset, or the offset.
  private static func endOfAddress(in text: Span<UInt8>, across offset: Int) -> Int {
    let start = max(0, offset &- reach)
    let part = text.extracting(start..<min(text.count, offset &+ reach))
    var matches: [LogMatch] = []
    searchLog(part, into: &matches)
    let across = matches.first { start &+ $0.start < offset && start &+ $0.end > offset }
    guard let across else { return offset }
    var end = start &+ across.end
    while text.byte(end) == UInt8(ascii: ":") { end &+= 1 }
    return end
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
  let end = cut.isClean ? cut.offset : text.count
  searchLog(text.extracting(0..<end), from: start, into: &matches)
  while let last = matches.last, last.start >= cut.offset { matches.removeLast() }
}

extension UInt8 {
  /// Whether what lies behind this byte and what lies before it have nothing to say of each other:
  /// it is neither part of an address, a zone or a product's name (a `tchar` of RFC 9110 §5.6.2),
  /// nor `/` or `:`, which join what is.
  @inline(__always)
  fileprivate var parts: Bool {
    // Of the ASCII characters a set bit for each that joins: letters, digits and !#$%&'*+-./:^_`|~.
    let joining: (UInt64, UInt64) = (0x07ff_ecfa_0000_0000, 0x57ff_ffff_c7ff_fffe)
    let set = self & 0x40 == 0 ? joining.0 : joining.1
    return self >= 0x80 || set >> UInt64(self & 0x3f) & 1 == 0
  }
}
