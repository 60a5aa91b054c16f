import SondeRecords

/// Hits and addresses, grouped by properties of profiles.
struct Groups {
  private(set) var hits = 0

  private let profiles: [Profiles.Profile]
  /// Hits and addresses of each profile; the last one is for unanswered addresses.
  private var profileHits: [Int]
  private var profileAddresses: [Int]
  /// Addresses in several records, with their different profiles.
  private var divided: [[Int]] = []

  init(_ counts: SummaryCounts) {
    // Unanswered addresses have a profile without values.
    profiles = counts.profiles.all + [Profiles.Profile()]
    let unanswered = counts.profiles.all.count
    profileHits = [Int](repeating: 0, count: profiles.count)
    profileAddresses = profileHits
    for entry in counts.addresses.entries {
      let profile = counts.profile(of: entry)?.index ?? unanswered
      profileHits[profile] += entry.hits
      profileAddresses[profile] += 1
      hits += entry.hits
    }
    for (profile, count) in counts.addresses.unaddressed {
      profileHits[profile.index] += count
      hits += count
    }
    guard counts.addresses.followers > 0 else { return }
    var followers = Set<Int>()
    for (index, entry) in counts.addresses.entries.enumerated() {
      if let next = entry.next.index { followers.insert(next) }
      guard entry.next.index != nil, !followers.contains(index) else { continue }
      divided.append(
        counts.entries(from: index).map { counts.profile(of: $0)?.index ?? unanswered }
      )
    }
  }

  /// The content of a row.
  fileprivate struct Group {
    var hits = 0
    var addresses = 0
    /// Its names in profiles, of which the most frequent one is used, so that a single odd answer
    /// has no effect.
    var names: [String: Weight] = [:]
    var countryCode = ""
    var place: SummaryTable.Place?
    var placeOrder = UInt64.max
  }

  /// The weight of a name.
  fileprivate struct Weight {
    var addresses = 0
    var hits = 0
    /// The first profile with it.
    var order = UInt64.max
  }

  /// The table of a kind based on profiles; `nil` if no row has a value.
  func table(_ kind: SummaryTable.Kind) -> SummaryTable? {
    let keys = profiles.map { $0.key(kind) }
    var groups: [String: Group] = [:]
    for (index, profile) in profiles.enumerated() where profileHits[index] > 0 {
      groups[keys[index], default: Group()]
        .add(profile, kind, hits: profileHits[index], addresses: profileAddresses[index])
    }
    for indices in divided {
      // An address counts once per row, however many of its records belong to it.
      var seen = Set<String>()
      for index in indices where !seen.insert(keys[index]).inserted {
        groups[keys[index]]?.addresses -= 1
      }
    }
    guard groups.keys.contains(where: { !$0.isEmpty }) else { return nil }
    let rows = groups.map { key, group in
      SummaryTable.Row(
        key: key,
        name: key.isEmpty ? "" : group.name ?? key,
        addresses: group.addresses,
        hits: group.hits,
        share: SummaryTable.Row.share(group.hits, of: hits),
        place: group.place,
        countryCode: group.countryCode.isEmpty ? nil : group.countryCode
      )
    }
    return SummaryTable(kind: kind, rows: rows.sorted(by: SummaryTable.Row.comesBefore))
  }
}

extension Groups.Group {
  /// The name with the most addresses, then hits, then the first; `nil` if there is none.
  var name: String? { names.max { $0.value.isLess(than: $1.value) }?.key }

  mutating func add(
    _ profile: Profiles.Profile,
    _ kind: SummaryTable.Kind,
    hits: Int,
    addresses: Int
  ) {
    self.hits += hits
    self.addresses += addresses
    let name = profile.name(kind)
    if !name.isEmpty {
      let known = names[name, default: Groups.Weight()]
      names[name] = Groups.Weight(
        addresses: known.addresses + addresses,
        hits: known.hits + hits,
        order: min(known.order, profile.order)
      )
    }
    guard kind == .city || kind == .country, !profile.key(kind).isEmpty else { return }
    countryCode = profile.countryCode
    guard kind == .city, let place = profile.place, profile.placeOrder < placeOrder else {
      return
    }
    (self.place, placeOrder) = (place, profile.placeOrder)
  }
}

extension Groups.Weight {
  func isLess(than other: Groups.Weight) -> Bool {
    if addresses != other.addresses { return addresses < other.addresses }
    return hits != other.hits ? hits < other.hits : order > other.order
  }
}

extension Profiles.Profile {
  /// The key of the profile's row; empty if it has no value.
  func key(_ kind: SummaryTable.Kind) -> String {
    switch kind {
    case .country: countryCode
    case .network: network
    case .city: city.isEmpty ? "" : Self.joined([city, region, countryCode])
    case .status: status?.name ?? ""
    case .source: source
    case .address, .hour, .day: ""
    }
  }

  fileprivate func name(_ kind: SummaryTable.Kind) -> String {
    switch kind {
    case .country: country
    case .network: asName
    case .city: city
    case .status, .source, .address, .hour, .day: key(kind)
    }
  }

  private var network: String { asn == 0 ? "" : "AS\(asn)" }

  /// A description shown next to the address.
  var words: String {
    switch status {
    case .ok, nil: Self.joined([countryCode, city, Self.joined([network, asName], by: " ")])
    case .unknown, .failed: status?.name ?? ""
    case .networkLost: "network lost"
    case .reserved, .invalid: ""
    }
  }

  private static func joined(_ texts: [String], by separator: String = ", ") -> String {
    texts.filter { !$0.isEmpty }.joined(separator: separator)
  }
}
