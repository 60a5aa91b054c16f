/// What a summary is made of: how often each address was met, what is known of it, and when.
public struct SummaryCounts: Sendable {
  /// How often each address was met.
  public var addresses: AddressCounts
  /// What is known of them.
  public var profiles: Profiles
  /// When they were met.
  public var timeline: Timeline

  /// Puts counts together.
  public init(addresses: AddressCounts, profiles: Profiles, timeline: Timeline) {
    (self.addresses, self.profiles, self.timeline) = (addresses, profiles, timeline)
  }

  /// How many records were counted, besides what was met in logs.
  public var records: Int { Int(clamping: profiles.records) }

  /// The profile of an entry: its own, or that of the answer to its question.
  func profile(of entry: AddressCounts.Entry) -> Profiles.ID? {
    entry.meaning.profile ?? entry.meaning.question.flatMap { profiles.answer(to: $0) }
  }

  /// The entries of an address, the first one given.
  func entries(from first: Int) -> [AddressCounts.Entry] {
    var found = [addresses.entries[first]]
    while let next = found[found.count - 1].next.index { found.append(addresses.entries[next]) }
    return found
  }
}
