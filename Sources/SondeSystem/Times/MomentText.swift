/// A moment given by a user: a date, or a date and time as in RFC 3339, with an optional zone.
public struct MomentText: Sendable, Equatable {
  private let time: FoundTime

  /// Parses `2015-05-17` or `2015-05-17T10:05:03+02:00`, also with a blank instead of `T`; `nil`
  /// for any other text.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // A date means the start of its day.
    var whole = bytes.count == 10 ? bytes + Array("T00:00".utf8) : bytes
    // RFC 3339 §5.6 permits the blank for readability.
    if whole.count > 10, whole[10] == UInt8(ascii: " ") { whole[10] = UInt8(ascii: "T") }
    var numerals = DateNumerals()
    guard let time = numerals.read(whole.span, 0, whole.count), time.end == whole.count,
      whole[4] == UInt8(ascii: "-")
    else { return nil }
    self.time = time
  }

  /// The moment, in milliseconds since 1970 UTC; the zone applies if the text has none.
  public func milliseconds(in zone: TimeZoneRules) -> Int64 {
    let seconds = time.offset.map { time.local - $0 } ?? zone.moment(at: time.local)
    return seconds * 1000 + time.milliseconds
  }
}
