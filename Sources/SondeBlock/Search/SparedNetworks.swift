public import SondeAddresses

/// The networks that no rule may overlap: those of the user, and the special-purpose ones.
///
/// The well-known prefix of translators (RFC 6052) is one of these: each of its /64s has all of IPv4.
public struct SparedNetworks: Sendable {
  private static let translators = AddressRange(
    block: Address(number: 0x64_ff9b << 96),
    length: 96
  )

  /// Ranges in order, without overlaps, as 128-bit numbers.
  private var ranges: [ClosedRange<UInt128>] = []

  /// Creates the networks; ranges may overlap.
  public init(_ networks: [AddressRange]) {
    // The IPv4-mapped addresses are no part of an IPv6 network.
    let all = networks + SpecialPurposeBlock.unreachableRanges + [Self.translators]
    let sorted = all.map { $0.first.number...$0.last.number }
      .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    for range in sorted {
      if let last = ranges.last, range.lowerBound <= last.upperBound {
        let end = max(last.upperBound, range.upperBound)
        ranges[ranges.count - 1] = last.lowerBound...end
      } else {
        ranges.append(range)
      }
    }
  }

  /// Whether an address is in one of the networks.
  public func contains(_ address: Address) -> Bool {
    overlap(address.number, address.number)
  }

  /// Whether a range from one number to another has an address in common with the networks.
  func overlap(_ first: UInt128, _ last: UInt128) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < first { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= last
  }
}
