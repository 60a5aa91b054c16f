import SondeAddresses
import SondeRecords

/// The addresses with the most hits.
struct AddressRows {
  private let counts: SummaryCounts
  private let hits: Int

  init(_ counts: SummaryCounts, hits: Int) { (self.counts, self.hits) = (counts, hits) }

  /// An address, its hits, and its text once needed.
  private struct Candidate {
    let first: Int
    let hits: Int
    let key: String

    func comesBefore(_ other: Candidate) -> Bool {
      hits != other.hits ? hits > other.hits : key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
  }

  /// The table with a limited number of rows; `nil` without addresses.
  func table(most: Int) -> SummaryTable? {
    guard !counts.addresses.entries.isEmpty else { return nil }
    var rows = leading(most).map(row)
    let rest = counts.addresses.unaddressed.values.reduce(0, +)
    if rest > 0, rows.count < most {
      rows.append(
        SummaryTable.Row(
          key: "",
          name: "",
          addresses: 0,
          hits: rest,
          share: SummaryTable.Row.share(rest, of: hits)
        )
      )
    }
    let count = counts.addresses.distinct + (rest > 0 ? 1 : 0)
    return SummaryTable(kind: .address, rows: rows, count: count)
  }

  /// The first rows in order, without sorting all.
  private func leading(_ most: Int) -> [Candidate] {
    var (best, last): ([Candidate], Candidate?) = ([], nil)
    // Certainly lower ones are dropped before their text is created.
    for (first, hits) in firsts() where hits >= last?.hits ?? 0 {
      let key = counts.addresses.text(of: first)
      let candidate = Candidate(first: first, hits: hits, key: key)
      if let last, !candidate.comesBefore(last) { continue }
      best.append(candidate)
      if most < counts.addresses.distinct, best.count >= 2 * most { last = cut(&best, to: most) }
    }
    _ = cut(&best, to: most)
    return best
  }

  private func cut(_ candidates: inout [Candidate], to count: Int) -> Candidate? {
    candidates.sort { $0.comesBefore($1) }
    candidates.removeLast(max(0, candidates.count - count))
    return candidates.last
  }

  /// The first entry of each address, and the hits of all its entries.
  private func firsts() -> [(first: Int, hits: Int)] {
    let entries = counts.addresses.entries
    guard counts.addresses.followers > 0 else {
      return entries.indices.map { ($0, entries[$0].hits) }
    }
    var followers = Set<Int>()
    return entries.indices.compactMap { index in
      if let next = entries[index].next.index { followers.insert(next) }
      guard !followers.contains(index) else { return nil }
      return (index, counts.entries(from: index).reduce(0) { $0 + $1.hits })
    }
  }

  private func row(_ candidate: Candidate) -> SummaryTable.Row {
    let entries = counts.entries(from: candidate.first)
    let known = entries.lazy.compactMap { counts.profile(of: $0) }.first
    let profile = known.map { counts.profiles.all[$0.index] } ?? Profiles.Profile()
    let isReserved = profile.status == .reserved
    let block = isReserved ? entries[0].address.specialPurpose?.name : nil
    return SummaryTable.Row(
      key: candidate.key,
      name: block ?? profile.words,
      addresses: 1,
      hits: candidate.hits,
      share: SummaryTable.Row.share(candidate.hits, of: hits),
      countryCode: profile.countryCode.isEmpty ? nil : profile.countryCode
    )
  }
}
