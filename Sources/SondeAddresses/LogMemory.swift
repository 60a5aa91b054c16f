/// The findings of a search about the text around addresses, so that no rule rescans text.
struct LogMemory {
  /// The distance that the rules look from an address, in both directions.
  static let reach = 8 << 10

  /// The last text after an address that was found to hold no letter.
  private var suffix = 0..<0

  /// The fields last searched for product versions.
  var fields = LogFields()

  /// Whether the run of letters, digits and `._-+~` at a position contains a letter.
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
