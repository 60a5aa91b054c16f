import SondeRecords
import SondeSystem

/// A progress line made of segments, of which the less important are dropped if it is too long.
package struct ProgressText: Equatable {
  private struct Segment: Equatable {
    let text: String
    let rank: Int
  }

  private var segments: [Segment] = []

  /// Appends a segment with its separator; segments of higher `rank` are dropped first, 0 never.
  mutating func add(_ text: String, rank: Int) {
    segments.append(Segment(text: escapedForPerson(text), rank: rank))
  }

  /// A copy with other texts.
  func mapped(_ transform: (String) -> String) -> ProgressText {
    var copy = self
    copy.segments = segments.map { Segment(text: transform($0.text), rank: $0.rank) }
    return copy
  }

  var whole: String { segments.map(\.text).joined() }

  /// As many segments as fit; the text is truncated if even the most important do not.
  ///
  /// - Returns: The text and its width in columns.
  func fitted(to columns: Int) -> (text: String, columns: Int) {
    var rest = self
    while columnsForPerson(rest.whole) > columns,
      let rank = rest.segments.map(\.rank).max(), rank > 0
    {
      rest.segments.removeAll { $0.rank == rank }
    }
    let text = cutForPerson(rest.whole, to: columns)
    return (text, columnsForPerson(text))
  }
}
