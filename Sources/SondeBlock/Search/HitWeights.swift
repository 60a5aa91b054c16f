import SondeAddresses

/// What the addresses of one kind weigh, so that the weight of any range is found quickly.
struct HitWeights: Sendable {
  private(set) var numbers: [UInt128] = []
  /// The weight of all addresses before each one, and that of all at the end.
  private var sums: [UInt64] = [0]

  var total: UInt64 { sums[sums.count - 1] }

  /// Adds an address behind all added before.
  mutating func append(_ number: UInt128, _ weight: UInt64) {
    numbers.append(number)
    sums.append(total.addingCapped(weight))
  }

  /// The index of the first address from a number on.
  func index(from number: UInt128) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The indices of the addresses of a range.
  func indices(_ first: UInt128, _ last: UInt128) -> Range<Int> {
    let start = index(from: first)
    return start..<max(start, last == .max ? numbers.count : index(from: last + 1))
  }

  /// The weight of some addresses.
  func weight(_ indices: Range<Int>) -> UInt64 {
    sums[indices.upperBound] - sums[indices.lowerBound]
  }

  /// The weight of the addresses of a range.
  func weight(_ first: UInt128, _ last: UInt128) -> UInt64 { weight(indices(first, last)) }
}

extension UInt64 {
  /// The sum, or the greatest number.
  func addingCapped(_ other: UInt64) -> UInt64 {
    let (sum, isTooGreat) = addingReportingOverflow(other)
    return isTooGreat ? .max : sum
  }
}
