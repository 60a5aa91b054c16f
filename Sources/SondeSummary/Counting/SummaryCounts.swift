/// The data of a summary: the counts, profiles and times of addresses.
public struct SummaryCounts: Sendable {
  /// The counts of addresses.
  public var addresses: AddressCounts
  /// The profiles of addresses.
  public var profiles: Profiles
  /// The times of hits.
  public var timeline: Timeline

  /// Creates the data of a summary.
  public init(addresses: AddressCounts, profiles: Profiles, timeline: Timeline) {
    (self.addresses, self.profiles, self.timeline) = (addresses, profiles, timeline)
  }

  /// The number of records, in addition to hits in logs.
  public var records: Int { Int(clamping: profiles.records) }

  /// The profile of an entry: its own, or that of the answer to its question.
  func profile(of entry: AddressCounts.Entry) -> Profiles.ID? {
    entry.meaning.profile ?? entry.meaning.question.flatMap { profiles.answer(to: $0) }
  }

  /// The entries of an address, starting with the first.
  func entries(from first: Int) -> [AddressCounts.Entry] {
    var found = [addresses.entries[first]]
    while let next = found[found.count - 1].next.index { found.append(addresses.entries[next]) }
    return found
  }
}
