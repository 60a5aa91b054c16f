public import SondeAddresses
public import SondeRecords

/// The data of a summary: the counts, profiles and times of addresses.
public struct SummaryCounts: Sendable {
  /// The counts of addresses.
  public var addresses: AddressCounts
  /// The profiles of addresses.
  public var profiles: Profiles
  /// The times of hits.
  public var timeline: Timeline

  /// The hits for the tables of combinations, by the entries of ``groupedAddresses``; `nil` for none.
  public var occurrences: Occurrences?
  /// The addresses with the entries that ``occurrences`` counts.
  public var groupedAddresses = AddressCounts()

  /// Creates the data of a summary.
  public init(addresses: AddressCounts, profiles: Profiles, timeline: Timeline) {
    (self.addresses, self.profiles, self.timeline) = (addresses, profiles, timeline)
  }

  /// The addresses of questions, with their zones.
  public func addresses(of questions: [Int]) -> [(address: Address, zone: [UInt8]?)] {
    let wanted = Dictionary(uniqueKeysWithValues: questions.enumerated().map { ($1, $0) })
    var found = [(address: Address, zone: [UInt8]?)?](repeating: nil, count: questions.count)
    for (index, entry) in groupedAddresses.entries.enumerated() {
      guard let place = entry.meaning.question.flatMap({ wanted[$0] }) else { continue }
      found[place] = (entry.address, groupedAddresses.zones[index])
    }
    return found.compactMap(\.self)
  }

  /// The periods of questions, if answers depend on times; otherwise empty.
  public func periods(of questions: [Int]) -> [BuildPeriod] {
    groupedAddresses.periods.isEmpty ? [] : questions.map { groupedAddresses.period(of: $0) }
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
