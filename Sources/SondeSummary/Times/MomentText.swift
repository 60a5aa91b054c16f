/// A moment as a person gives it: a date, or a date and time as in RFC 3339, whose zone may be left
/// out.
public struct MomentText: Sendable, Equatable {
  private let time: FoundTime

  /// Reads `2015-05-17` or `2015-05-17T10:05:03+02:00`, also with a blank for the `T`; `nil` where a
  /// text is neither.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // A date is the begin of its day.
    var whole = bytes.count == 10 ? bytes + Array("T00:00".utf8) : bytes
    // RFC 3339 §5.6 allows the blank for a person.
    if whole.count > 10, whole[10] == UInt8(ascii: " ") { whole[10] = UInt8(ascii: "T") }
    var numerals = DateNumerals()
    guard let time = numerals.read(whole.span, 0, whole.count), time.end == whole.count,
      whole[4] == UInt8(ascii: "-")
    else { return nil }
    self.time = time
  }

  /// The moment, in milliseconds since 1970 UTC.
  ///
  /// - Parameter zone: The zone where the text tells none.
  /// - Returns: The moment.
  public func milliseconds(in zone: TimeZoneRules) -> Int64 {
    let seconds = time.offset.map { time.local - $0 } ?? zone.moment(at: time.local)
    return seconds * 1000 + time.milliseconds
  }
}
