/// An address found in text.
public struct LogMatch: Equatable, Sendable {
  /// The offset of its first byte.
  public let start: Int

  /// The offset after its last byte, a zone included.
  public let end: Int

  /// The address.
  public let address: Address

  /// Where the zone id of a link-local address lies, without its `%`.
  public let zone: Range<Int>?
}

/// Finds every address anywhere in text, in order, none inside another.
///
/// An address stands on its own: ``LogVerdict`` has the rules. The search takes time linear in
/// the text whatever it holds, and allocates only where `matches` must grow.
/// - Parameters:
///   - text: Whole lines; no match spans a line end.
///   - matches: What is found is appended, with offsets into `text`.
public func searchLog(_ text: Span<UInt8>, into matches: inout [LogMatch]) {
  var position = 0
  while let candidate = nextCandidate(in: text, from: position) {
    let verdict = LogVerdict(on: text, at: candidate)
    if let match = verdict.match { matches.append(match) }
    position = verdict.resume
  }
}

/// The next `.` or `:` that may belong to an address; eight bytes are looked at in one step.
@inline(__always)
private func nextCandidate(in text: Span<UInt8>, from start: Int) -> Int? {
  let bytes = unsafe text.bytes
  var position = start
  while position &+ 8 <= text.count {
    var marks = marks(
      of: unsafe UInt64(
        littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      )
    )
    while marks != 0 {
      let index = position &+ marks.trailingZeroBitCount >> 3
      if isCandidate(text, index) { return index }
      marks &= marks &- 1
    }
    position &+= 8
  }
  while position < text.count {
    if isCandidate(text, position) { return position }
    position &+= 1
  }
  return nil
}

/// The top bit of each byte that is `.`, `:`, `*` or `>`.
///
/// `.` and `:` differ in the two bits 0x14 alone; setting both makes one test of two.
@inline(__always)
private func marks(of word: UInt64) -> UInt64 {
  let low: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
  let difference = (word | 0x1414_1414_1414_1414) ^ 0x3e3e_3e3e_3e3e_3e3e
  return ~((difference & low &+ low) | difference | low)
}

/// Whether the bytes beside a mark allow an address: digits around a `.`, and after a `:` another
/// one or a group.
@inline(__always)
private func isCandidate(_ text: Span<UInt8>, _ position: Int) -> Bool {
  let next = text.byte(position &+ 1)
  switch text[position] {
  case UInt8(ascii: "."): return next.isDigit && text.byte(position &- 1).isDigit
  case UInt8(ascii: ":"): return next == UInt8(ascii: ":") || next.isHexDigit
  default: return false
  }
}
