/// An address found in text.
public struct LogMatch: Equatable, Sendable {
  /// The offset of its first byte.
  public let start: Int

  /// The offset after its last byte, a zone included.
  public let end: Int

  /// The offset for an annotation: the end, or after the port in tcpdump's output.
  public let insertion: Int

  /// The address.
  public let address: Address

  /// The offset of the zone ID; that of the address without one, since an address comes first.
  private let zoneStart: Int

  /// The position of a link-local address's zone ID, without its `%`.
  public var zone: Range<Int>? { zoneStart > start ? zoneStart..<end : nil }

  /// Creates a match.
  init(start: Int, end: Int, address: Address, zone: Range<Int>? = nil, insertion: Int? = nil) {
    (self.start, self.end, self.address) = (start, end, address)
    self.insertion = insertion ?? end
    zoneStart = zone?.lowerBound ?? start
  }

  /// The same match in a part of the text that begins at an offset.
  package func within(_ offset: Int) -> LogMatch {
    LogMatch(
      start: start - offset,
      end: end - offset,
      address: address,
      zone: zone.map { $0.lowerBound - offset..<$0.upperBound - offset },
      insertion: insertion - offset
    )
  }
}

extension DottedQuad {
  var match: LogMatch { LogMatch(start: start, end: end, address: Address(ipv4: number)) }
}

/// Finds all addresses in text, in order and without overlaps.
///
/// `LogRules` decides what counts as an address. The search always takes linear time, and allocates
/// only if `matches` must grow. The text consists of whole lines, or is divided at a ``LogCut``; no
/// match spans a line end. Text before `start` is context; no earlier match may extend beyond it.
/// With `refangs`, defanged marks are the marks that they stand for; only then it may allocate.
public func searchLog(
  _ text: Span<UInt8>,
  from start: Int = 0,
  refangs: Bool = false,
  into matches: inout [LogMatch]
) {
  guard refangs, let refanged = RefangedText(text) else {
    return searchPlainLog(text, from: start, into: &matches)
  }
  let first = matches.count
  searchPlainLog(refanged.bytes.span, from: refanged.refanged(start), into: &matches)
  for index in first..<matches.count { matches[index] = matches[index].original(refanged) }
}

private func searchPlainLog(
  _ text: Span<UInt8>,
  from start: Int,
  into matches: inout [LogMatch]
) {
  var memory = LogMemory()
  #if arch(x86_64)
    let position = searchBlocks(of: text, from: start, &memory, into: &matches)
  #else
    let position = start
  #endif
  searchBytes(of: text, from: position, &memory, into: &matches)
}

/// Searches byte by byte: the reference for ``searchBlocks``, and its replacement on other
/// processors.
func searchBytes(
  of text: Span<UInt8>,
  from start: Int,
  _ memory: inout LogMemory,
  into matches: inout [LogMatch]
) {
  var position = start
  while position < text.count {
    guard isMark(text, position) else {
      position &+= 1
      continue
    }
    position = LogRules.decide(on: text, at: position, byBlocks: false, &memory, into: &matches)
  }
}

/// Whether a position has a mark: a `.` between digits, or a `:` before `:` or a hex digit.
@inline(__always)
func isMark(_ text: Span<UInt8>, _ position: Int) -> Bool {
  let next = text.byte(position &+ 1)
  switch text[position] {
  case UInt8(ascii: "."): return next.isDigit && text.byte(position &- 1).isDigit
  case UInt8(ascii: ":"): return next == UInt8(ascii: ":") || next.isHexDigit
  default: return false
  }
}
