import SondeRecords

extension SummaryCounts {
  /// The counts in which a city that fewer distinct addresses share is not known.
  func withoutPlaces(ofFewerThan least: Int) -> SummaryCounts {
    let groups = profiles.places
    var sizes = [Int](repeating: 0, count: groups.count)
    var isFollower = [Bool](repeating: false, count: addresses.entries.count)
    for first in addresses.entries.indices where !isFollower[first] {
      var seen = Set<Int>()
      var index: Int? = first
      while let current = index {
        isFollower[current] = true
        let entry = addresses.entries[current]
        if let profile = profile(of: entry) { seen.insert(groups.numbers[profile.index]) }
        index = entry.next.index
      }
      for group in seen { sizes[group] += 1 }
    }
    var counts = self
    counts.profiles.removePlaces { sizes[groups.numbers[$0]] < least }
    return counts
  }
}

extension Profiles {
  /// For each profile the number of its country, region and city, of which there are `count`.
  fileprivate var places: (numbers: [Int], count: Int) {
    var known: [[String]: Int] = [:]
    let numbers = all.map { profile in
      let place = [profile.countryCode, profile.region, profile.city]
      if let number = known[place] { return number }
      known[place] = known.count
      return known.count - 1
    }
    return (numbers, known.count)
  }

  /// Removes the places below the region of some profiles.
  fileprivate mutating func removePlaces(where isRemoved: (Int) -> Bool) {
    let hidden = columns.map { [.city, .postalCode, .latitude, .longitude].contains($0) }
    for index in all.indices where isRemoved(index) {
      all[index].city = ""
      all[index].place = nil
      guard hidden.contains(true) else { continue }
      let cells = all[index].line.dropLast().split(
        separator: UInt8(ascii: "\t"),
        omittingEmptySubsequences: false
      )
      let kept = zip(cells, hidden).map { cell, isHidden in isHidden ? [] : cell }
      all[index].line = Array(kept.joined(separator: [UInt8(ascii: "\t")])) + [UInt8(ascii: "\n")]
    }
  }
}
