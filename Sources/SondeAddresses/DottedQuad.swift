/// Four decimal octets anywhere in a text.
struct DottedQuad {
  let number: UInt32
  let start: Int

  /// The position after the last octet, where no digit follows.
  let end: Int
}

extension DottedQuad {
  /// Parses octets from 0 to 255 without leading zeros; fails if another digit follows.
  @inline(__always)
  init?(_ text: Span<UInt8>, at start: Int) {
    var (position, number) = (start, UInt32(0))
    for octet in 0..<4 {
      if octet > 0 {
        guard text.byte(position) == UInt8(ascii: ".") else { return nil }
        position &+= 1
      }
      var digit = text.byte(position) &- 0x30
      guard digit < 10 else { return nil }
      var value = UInt32(digit)
      position &+= 1
      // No digit may follow a zero; the check for the next `.` or the end rejects it.
      var room = value == 0 ? 0 : 2
      while room > 0 {
        digit = text.byte(position) &- 0x30
        guard digit < 10 else { break }
        value = value &* 10 &+ UInt32(digit)
        position &+= 1
        room &-= 1
      }
      guard value <= 255 else { return nil }
      number = number << 8 | value
    }
    guard !text.byte(position).isDigit else { return nil }
    self.init(number: number, start: start, end: position)
  }

  /// Parses the four octets, the first of which ends at a dot, wherever it begins.
  ///
  /// At most three digits before the dot are read; the caller checks for another before them.
  init?(_ text: Span<UInt8>, firstDot dot: Int) {
    var start = dot
    while dot &- start < 3, text.byte(start &- 1).isDigit { start &-= 1 }
    self.init(text, at: start)
  }
}
