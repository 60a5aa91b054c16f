import SondeOutputs

/// The entries whose records are in the outputs: all up to one, and some beyond it.
struct WrittenEntries: Sendable, Equatable {
  /// The first unwritten entry.
  private(set) var first: UInt64 = 0
  /// Written ranges beyond it, in ascending order, each preceded by a gap.
  private var ahead: [Range<UInt64>] = []

  init() {}

  /// Reads a journal's checkpoint.
  init(_ checkpoint: Checkpoint) {
    (first, ahead) = (checkpoint.firstUnwritten, checkpoint.ahead)
  }

  func contains(_ entry: UInt64) -> Bool {
    guard entry >= first else { return true }
    let index = position(of: entry)
    return index < ahead.count && ahead[index].contains(entry)
  }

  func contains(_ entries: Range<UInt64>) -> Bool {
    if entries.isEmpty || entries.upperBound <= first { return true }
    let index = position(of: entries.lowerBound)
    return index < ahead.count && ahead[index].lowerBound <= entries.lowerBound
      && entries.upperBound <= ahead[index].upperBound
  }

  /// Adds entries that were not written.
  mutating func insert(_ entries: Range<UInt64>) {
    guard !entries.isEmpty else { return }
    if entries.lowerBound == first {
      first = entries.upperBound
      if let next = ahead.first, next.lowerBound == first {
        first = next.upperBound
        ahead.removeFirst()
      }
      return
    }
    var (whole, index) = (entries, position(of: entries.lowerBound))
    var joined = index..<index
    if index > 0, ahead[index - 1].upperBound == whole.lowerBound {
      index -= 1
      whole = ahead[index].lowerBound..<whole.upperBound
      joined = index..<joined.upperBound
    }
    if joined.upperBound < ahead.count, ahead[joined.upperBound].lowerBound == whole.upperBound {
      whole = whole.lowerBound..<ahead[joined.upperBound].upperBound
      joined = joined.lowerBound..<joined.upperBound + 1
    }
    ahead.replaceSubrange(joined, with: CollectionOfOne(whole))
  }

  /// Stores the entries in a checkpoint.
  func note(in checkpoint: inout Checkpoint) {
    (checkpoint.firstUnwritten, checkpoint.ahead) = (first, ahead)
  }

  /// The index of the first range that ends after an entry.
  private func position(of entry: UInt64) -> Int {
    var (low, high) = (0, ahead.count)
    while low < high {
      let middle = (low + high) / 2
      if ahead[middle].upperBound <= entry { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
