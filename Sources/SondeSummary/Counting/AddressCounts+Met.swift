extension AddressCounts {
  /// A read-only copy without questions whose addresses have no hit.
  public var met: AddressCounts {
    guard entries.contains(where: { $0.hits == 0 }) else { return self }
    var met = AddressCounts()
    (met.questions, met.unaddressed, met.periods) = (questions, unaddressed, periods)
    var isFollower = [Bool](repeating: false, count: entries.count)
    for first in entries.indices where !isFollower[first] {
      var (index, last): (Int?, Int?) = (first, nil)
      while let current = index {
        isFollower[current] = true
        index = entries[current].next.index
        guard entries[current].hits > 0 else {
          met.questions -= 1
          continue
        }
        last = met.append(entries[current], behind: last, zone: zones[first])
      }
    }
    return met
  }

  /// Appends an entry of an address after its last entry, if any.
  private mutating func append(_ entry: Entry, behind last: Int?, zone: [UInt8]?) -> Int {
    var entry = entry
    entry.next = .none
    entries.append(entry)
    let index = entries.count - 1
    if let last {
      entries[last].next = Link(to: index)
      followers += 1
    } else if let zone {
      zones[index] = zone
    }
    return index
  }
}
