/// The zone after a time: `Z`, `+02:00`, `+0200` or `+02`, the longer ones also after a blank; or
/// `UTC` or `GMT` after a blank.
struct ZoneText {
  /// The offset from UTC in seconds.
  let offset: Int64
  /// The position after it.
  let end: Int

  /// Parses a zone; `nil` if there is none.
  @inline(__always)
  init?(_ text: Span<UInt8>, _ start: Int, _ limit: Int) {
    guard start < limit else { return nil }
    switch text[start] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      guard start &+ 1 >= limit || !text[start &+ 1].isLetter else { return nil }
      self.init(offset: 0, end: start &+ 1)
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      self.init(signed: text, start, limit, mayLackMinutes: true)
    case UInt8(ascii: " ") where start &+ 4 <= limit:
      if text[start &+ 1] == UInt8(ascii: "+") || text[start &+ 1] == UInt8(ascii: "-") {
        self.init(signed: text, start &+ 1, limit, mayLackMinutes: false)
      } else {
        self.init(named: text, start &+ 1, limit)
      }
    default: return nil
    }
  }

  @inline(__always)
  private init?(signed text: Span<UInt8>, _ start: Int, _ limit: Int, mayLackMinutes: Bool) {
    guard start &+ 3 <= limit, let hours = text.decimal(start &+ 1, 2), hours < 24 else {
      return nil
    }
    var position = start &+ 3
    if position < limit, text[position] == UInt8(ascii: ":") { position &+= 1 }
    var seconds = hours &* 3600
    if position &+ 2 <= limit, let minutes = text.decimal(position, 2), minutes < 60 {
      seconds &+= minutes &* 60
      position &+= 2
    } else {
      guard mayLackMinutes else { return nil }
      position = start &+ 3
    }
    guard position >= limit || !text[position].isDecimal else { return nil }
    let isBehind = text[start] == UInt8(ascii: "-")
    self.init(offset: Int64(isBehind ? 0 &- seconds : seconds), end: position)
  }

  private init?(named text: Span<UInt8>, _ start: Int, _ limit: Int) {
    guard start &+ 3 <= limit, start &+ 3 == limit || !text[start &+ 3].isLetter else { return nil }
    let name = (text[start], text[start &+ 1], text[start &+ 2])
    guard
      name == (UInt8(ascii: "U"), UInt8(ascii: "T"), UInt8(ascii: "C"))
        || name == (UInt8(ascii: "G"), UInt8(ascii: "M"), UInt8(ascii: "T"))
    else { return nil }
    self.init(offset: 0, end: start &+ 3)
  }

  private init(offset: Int64, end: Int) { (self.offset, self.end) = (offset, end) }
}
