/// The entries whose records are in the outputs: all up to one, and some beyond it.
struct WrittenEntries: Sendable, Equatable {
  /// The first entry that is not.
  private(set) var first: UInt64 = 0
  private var ahead: Set<UInt64> = []

  init() {}

  /// Those that a journal tells of.
  init(_ entry: JournalEntry) {
    first = entry.entries
    ahead = Set(entry.ahead.map { entry.entries + UInt64($0) })
  }

  /// Whether an entry is among them.
  func contains(_ entry: UInt64) -> Bool {
    entry < first || (!ahead.isEmpty && ahead.contains(entry))
  }

  /// Adds entries.
  mutating func insert(_ entries: Range<UInt64>) {
    if entries.lowerBound == first {
      first = entries.upperBound
    } else {
      ahead.formUnion(entries)
    }
    while !ahead.isEmpty, ahead.remove(first) != nil { first += 1 }
  }

  /// Notes them in a journal's entry.
  func note(in entry: inout JournalEntry) {
    entry.entries = first
    entry.ahead = ahead.map { UInt32(truncatingIfNeeded: $0 - first) }.sorted()
  }
}
