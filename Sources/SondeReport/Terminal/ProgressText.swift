import SondeRecords

/// What a progress line says, in segments: where it is narrow, the less important ones are left out.
package struct ProgressText: Equatable {
  private struct Segment: Equatable {
    let text: String
    let rank: Int
  }

  private var segments: [Segment] = []

  /// Adds a segment behind the others.
  ///
  /// - Parameters:
  ///   - text: What it says, with what separates it from those before.
  ///   - rank: How soon it is left out; 0 for never.
  mutating func add(_ text: String, rank: Int) {
    segments.append(Segment(text: escapedForPerson(text), rank: rank))
  }

  /// All of it.
  var whole: String { segments.map(\.text).joined() }

  /// As many segments as there is room for; the text is cut where even the most important do not fit.
  ///
  /// - Parameter columns: The room.
  /// - Returns: The text, and the columns that it takes.
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
