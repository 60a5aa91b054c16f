import Records

/// What a progress line says: parts, of which the less important ones go where it is narrow.
struct ProgressText: Equatable {
  private struct Part: Equatable {
    let text: String
    let rank: Int
  }

  private var parts: [Part] = []

  /// Adds a part right behind the others.
  ///
  /// - Parameters:
  ///   - text: What it says, with what separates it from those before.
  ///   - rank: How soon it is left out: 0 never is.
  mutating func add(_ text: String, rank: Int) {
    parts.append(Part(text: escapedForPerson(text), rank: rank))
  }

  /// All of it.
  var whole: String { parts.map(\.text).joined() }

  /// As many parts as there is room for, the last resort being to cut the text.
  ///
  /// - Parameter columns: The room.
  /// - Returns: The text, and the columns that it takes.
  func fitted(to columns: Int) -> (text: String, columns: Int) {
    var rest = self
    while columnsForPerson(rest.whole) > columns,
      let rank = rest.parts.map(\.rank).max(), rank > 0
    {
      rest.parts.removeAll { $0.rank == rank }
    }
    let text = cutForPerson(rest.whole, to: columns)
    return (text, columnsForPerson(text))
  }
}
