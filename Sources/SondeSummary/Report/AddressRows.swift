import SondeAddresses
import SondePrivacy
import SondeRecords

/// The addresses with the most hits.
struct AddressRows {
  private let counts: SummaryCounts
  private let hits: Int
  private let anonymizer: Anonymizer?

  /// Creates rows in which `anonymizer` replaces the addresses; those that become equal are one.
  init(_ counts: SummaryCounts, hits: Int, anonymizer: Anonymizer? = nil) {
    (self.counts, self.hits, self.anonymizer) = (counts, hits, anonymizer)
  }

  /// The addresses of a row: the first entry of one of them, and the hits of all.
  private struct Shown {
    var first: Int
    var hits: Int
    var addresses = 1
    /// What the addresses became; `nil` if they are shown.
    var replacement: Address?
  }

  /// An address, its hits, and its text once needed.
  private struct Candidate {
    let shown: Shown
    let key: String

    var hits: Int { shown.hits }

    func comesBefore(_ other: Candidate) -> Bool {
      hits != other.hits ? hits > other.hits : key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
  }

  /// The table with a limited number of rows; `nil` without addresses.
  func table(most: Int) -> SummaryTable? {
    guard !counts.addresses.entries.isEmpty else { return nil }
    let shown = self.shown
    var rows = leading(most, of: shown).map(row)
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
    let count = shown.count + (rest > 0 ? 1 : 0)
    return SummaryTable(kind: .address, rows: rows, count: count)
  }

  /// The first rows in order, without sorting all.
  private func leading(_ most: Int, of all: [Shown]) -> [Candidate] {
    var (best, last): ([Candidate], Candidate?) = ([], nil)
    // Certainly lower ones are dropped before their text is created.
    for shown in all where shown.hits >= last?.hits ?? 0 {
      let key = shown.replacement.map { "\($0)" } ?? counts.addresses.text(of: shown.first)
      let candidate = Candidate(shown: shown, key: key)
      if let last, !candidate.comesBefore(last) { continue }
      best.append(candidate)
      if most < all.count, best.count >= 2 * most { last = cut(&best, to: most) }
    }
    _ = cut(&best, to: most)
    return best
  }

  private func cut(_ candidates: inout [Candidate], to count: Int) -> Candidate? {
    candidates.sort { $0.comesBefore($1) }
    candidates.removeLast(max(0, candidates.count - count))
    return candidates.last
  }

  /// The content of all rows.
  private var shown: [Shown] {
    let firsts = firsts()
    guard let anonymizer else { return firsts.map { Shown(first: $0.0, hits: $0.1) } }
    var addresses = firsts.map { counts.addresses.entries[$0.0].address }
    anonymizer.replace(&addresses)
    var rows: [Shown] = []
    var numbers: [Address: Int] = [:]
    var most: [Int] = []
    for ((first, hits), address) in zip(firsts, addresses) {
      guard let number = numbers[address] else {
        numbers[address] = rows.count
        rows.append(Shown(first: first, hits: hits, replacement: address))
        most.append(hits)
        continue
      }
      rows[number].hits += hits
      rows[number].addresses += 1
      // The name is that of the address with the most hits.
      if hits > most[number] { (rows[number].first, most[number]) = (first, hits) }
    }
    return rows
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
    let entries = counts.entries(from: candidate.shown.first)
    let known = entries.lazy.compactMap { counts.profile(of: $0) }.first
    let profile = known.map { counts.profiles.all[$0.index] } ?? Profiles.Profile()
    let isReserved = profile.status == .reserved
    let block = isReserved ? entries[0].address.specialPurpose?.name : nil
    return SummaryTable.Row(
      key: candidate.key,
      name: block ?? profile.words,
      addresses: candidate.shown.addresses,
      hits: candidate.hits,
      share: SummaryTable.Row.share(candidate.hits, of: hits),
      countryCode: profile.countryCode.isEmpty ? nil : profile.countryCode
    )
  }
}
