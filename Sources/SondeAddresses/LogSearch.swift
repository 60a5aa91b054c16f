/// An address found in text.
public struct LogMatch: Equatable, Sendable {
  /// The offset of its first byte.
  public let start: Int

  /// The offset after its last byte, a zone included.
  public let end: Int

  /// Where words about it may be inserted: at its end, or behind the port that tcpdump joins to it.
  public let insertion: Int

  /// The address.
  public let address: Address

  /// The offset of the zone id; 0 where there is none, as an address comes first.
  private let zoneStart: Int

  /// Where the zone id of a link-local address lies, without its `%`.
  public var zone: Range<Int>? { zoneStart > 0 ? zoneStart..<end : nil }

  /// Makes a match.
  init(
    start: Int,
    end: Int,
    address: Address,
    zone: Range<Int>? = nil,
    insertion: Int? = nil
  ) {
    (self.start, self.end, self.address) = (start, end, address)
    self.insertion = insertion ?? end
    zoneStart = zone?.lowerBound ?? 0
  }
}

extension DottedQuad {
  /// The address, found in text.
  var match: LogMatch { LogMatch(start: start, end: end, address: Address(ipv4: number)) }
}

/// Finds every address anywhere in text, in order, none inside another.
///
/// An address stands on its own: `LogRules` has the rules. The search takes time linear in
/// the text whatever it holds, and allocates only where `matches` must grow.
/// - Parameters:
///   - text: Whole lines, or cut where ``LogCut`` says so; no match spans a line end.
///   - start: Where to begin; no address that was found before may reach behind it. What lies
///     before is looked at for what precedes an address.
///   - matches: What is found is appended, with offsets into `text`.
public func searchLog(_ text: Span<UInt8>, from start: Int = 0, into matches: inout [LogMatch]) {
  var memory = LogMemory()
  #if arch(x86_64)
    let position = searchBlocks(of: text, from: start, &memory, into: &matches)
  #else
    let position = start
  #endif
  searchBytes(of: text, from: position, &memory, into: &matches)
}

/// The search byte by byte: the readable definition, and all there is where ``searchBlocks`` is not.
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

/// Whether a byte is a mark: a `.` between digits, or a `:` before another one or a hexadecimal
/// digit.
@inline(__always)
func isMark(_ text: Span<UInt8>, _ position: Int) -> Bool {
  let next = text.byte(position &+ 1)
  switch text[position] {
  case UInt8(ascii: "."): return next.isDigit && text.byte(position &- 1).isDigit
  case UInt8(ascii: ":"): return next == UInt8(ascii: ":") || next.isHexDigit
  default: return false
  }
}
