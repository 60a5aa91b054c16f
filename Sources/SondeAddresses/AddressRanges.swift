/// Addresses and blocks in any order, which may overlap.
package struct AddressRanges: Sendable {
  private let ipv4: [AddressRange]
  private let ipv6: [AddressRange]

  /// Creates a set of all that the ranges contain.
  package init(_ ranges: [AddressRange]) {
    ipv4 = Self.joined(ranges.filter(\.first.isIPv4))
    ipv6 = Self.joined(ranges.filter { !$0.first.isIPv4 })
  }

  /// The ranges in ascending order, with overlaps merged.
  private static func joined(_ ranges: [AddressRange]) -> [AddressRange] {
    var joined: [AddressRange] = []
    for range in ranges.sorted(by: { $0.first < $1.first }) {
      if let last = joined.last, range.first <= last.last {
        let end = max(last.last, range.last)
        joined[joined.count - 1] = AddressRange(first: last.first, last: end) ?? last
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// Whether a range contains an address; IPv6 ranges contain no IPv4 address.
  package func contains(_ address: Address) -> Bool {
    let ranges = address.isIPv4 ? ipv4 : ipv6
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].last < address { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].first <= address
  }
}
