/// Finds the times that hold in the lines of a text: a line without one has that of the line before.
///
/// Each line is parsed at most once, however many have no time.
public struct LineClock: Sendable {
  private var parser: LineTimeParser
  /// The start of the first line.
  private let first: Int
  /// The start of the last line that was parsed; `nil` for none.
  private var parsed: Int?
  /// The last time up to that line, in milliseconds since 1970 UTC; `nil` if no line has one.
  private var latest: Int64?

  /// Starts at a line of a text.
  public init(_ parser: LineTimeParser, from start: Int) { (self.parser, first) = (parser, start) }

  /// The time that holds in a line, in milliseconds since 1970 UTC.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - start: The line's start, not before that of the previous one.
  ///   - own: The line's own time, if it was parsed before.
  /// - Returns: `nil` if no line from the first one on has a time.
  public mutating func time(
    in text: Span<UInt8>,
    from start: Int,
    own: Int64?? = nil
  ) -> Int64? {
    guard start > parsed ?? -1 else { return latest }
    let earlier = parsed
    parsed = start
    let found = if let own { own } else { parser.time(in: text, from: start) }
    if let found { latest = found } else { searchBack(text, from: start, behind: earlier) }
    return latest
  }

  /// The time that holds at the end of a text, which is the end of a line, in milliseconds since 1970
  /// UTC; `nil` if no line has one.
  public mutating func time(atEndOf text: Span<UInt8>) -> Int64? {
    searchBack(text, from: text.count, behind: parsed)
    parsed = text.count
    return latest
  }

  /// Takes the last time of the lines before a position that were not parsed.
  private mutating func searchBack(_ text: Span<UInt8>, from position: Int, behind parsed: Int?) {
    let bound = parsed ?? first
    var end = position
    while end > bound {
      var start = end - 1
      while start > bound, text[start - 1] != 0x0a { start -= 1 }
      if let parsed, start <= parsed { return }
      if let time = parser.time(in: text, from: start) {
        latest = time
        return
      }
      end = start
    }
  }
}
