/// What a search has seen beside the addresses, kept so that no rule reads the same text again and
/// again.
struct LogMemory {
  /// How far the rules look from an address, to either side.
  static let reach = 8 << 10

  /// What was last looked through for a letter behind an address, and holds none.
  private var suffix = 0..<0

  /// The fields that product versions were last looked for in.
  var fields = LogFields()

  /// Whether the run of letters, digits and `._-+~` that begins at a position holds a letter.
  mutating func suffixHoldsLetter(_ text: Span<UInt8>, from start: Int) -> Bool {
    let limit = min(text.count, start &+ Self.reach)
    var position = suffix.contains(start) ? min(suffix.upperBound, limit) : start
    defer { suffix = start..<position }
    while position < limit {
      let next = LogCharacter(text, from: position, to: limit)
      if next.byte.isLetter { return true }
      guard next.byte.isDigit || Self.joins(next.byte) else { return false }
      position = next.edge
    }
    return false
  }

  private static func joins(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
