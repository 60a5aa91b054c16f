import SondeSystem

/// An error in a condition, and its position.
public struct FilterError: Error, Equatable, Sendable {
  /// The reason in plain words, with a correction.
  public let reason: String
  /// The position of the error, in Unicode scalars.
  public let place: Range<Int>

  /// The text and a line that marks the error below it; long texts are cut around the error.
  public func marked(in text: String) -> [String] {
    let scalars = Array(text.unicodeScalars)
    let place = place.clamped(to: 0..<scalars.count + 1)
    let start = max(0, place.lowerBound - Self.context)
    let markEnd = min(max(place.upperBound, place.lowerBound + 1), place.lowerBound + Self.context)
    let end = min(scalars.count, markEnd + Self.context)
    let ellipsis = start > 0 ? "…" : ""
    let before = ellipsis + Self.text(scalars[start..<min(place.lowerBound, end)])
    let marked = Self.text(scalars[min(place.lowerBound, end)..<min(markEnd, end)])
    let rest = Self.text(scalars[min(markEnd, end)..<end]) + (end < scalars.count ? "…" : "")
    let width = max(1, columnsForPerson(marked))
    return [
      escapedForPerson(before + marked + rest),
      String(repeating: " ", count: columnsForPerson(before))
        + String(repeating: "^", count: width),
    ]
  }

  /// The number of characters shown on either side of the error.
  private static let context = 200

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
