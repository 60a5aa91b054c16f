/// The rows with the most hits of those that are offered, by hits, then by their texts.
struct LeadingRows {
  /// A row with its text.
  struct Candidate {
    let row: Int
    let hits: Int
    let key: String

    func comesBefore(_ other: Candidate) -> Bool {
      hits != other.hits ? hits > other.hits : key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
  }

  private let most: Int
  private var best: [Candidate] = []
  private var last: Candidate?

  init(most: Int) { self.most = most }

  /// Offers a row; its text is made only if it may be one of the first.
  mutating func offer(_ row: Int, hits: Int, key: (Int) -> String) {
    if let last, hits < last.hits { return }
    let candidate = Candidate(row: row, hits: hits, key: key(row))
    if let last, !candidate.comesBefore(last) { return }
    best.append(candidate)
    if best.count >= 2 * most { cut() }
  }

  /// The first rows, in order.
  mutating func cutRows() -> [Candidate] {
    cut()
    return best
  }

  private mutating func cut() {
    best.sort { $0.comesBefore($1) }
    guard best.count >= most else { return }
    best.removeLast(best.count - most)
    last = best.last
  }
}
