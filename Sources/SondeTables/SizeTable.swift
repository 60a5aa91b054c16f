import SondeAddresses

/// The sizes of networks as numbers: prefix lengths, and beyond them ranges that are no blocks.
struct SizeTable: Sendable {
  /// The first number that stands for a range.
  private static let firstRange: UInt32 = 129

  private var ranges: [(first: UInt128, last: UInt128)] = []

  /// The number of a range of addresses, an IPv4 one in its mapped form.
  mutating func code(from first: UInt128, through last: UInt128, isIPv4: Bool) -> UInt32 {
    let hosts = last - first
    if hosts & (hosts &+ 1) == 0, first & hosts == 0 {
      return UInt32(hosts.leadingZeroBitCount - (isIPv4 ? 96 : 0))
    }
    ranges.append((first, last))
    return Self.firstRange + UInt32(ranges.count - 1)
  }

  /// The network of an address that is in a network of this size; of a range that is no block, the
  /// part of its shortest division into blocks.
  @inline(__always)
  func prefix(of code: UInt32, holding address: Address) -> Prefix {
    guard code >= Self.firstRange else { return Prefix(holding: address, length: Int(code)) }
    return part(of: Int(code - Self.firstRange), holding: address)
  }

  /// The block of the division of a range that holds an address.
  ///
  /// The division is unique: each block is the largest that begins where the one before it ended
  /// (Python's `ipaddress.summarize_address_range` gives the same).
  private func part(of range: Int, holding address: Address) -> Prefix {
    var (first, last) = ranges[range]
    while true {
      // At most 127 bits, for a range of all addresses is a block.
      let fitting = 127 - (last - first + 1).leadingZeroBitCount
      let hostBits = min(first == 0 ? 128 : first.trailingZeroBitCount, fitting)
      let end = first + (1 << UInt128(hostBits) - 1)
      guard address.number > end else {
        return Prefix(holding: address, length: (address.isIPv4 ? 32 : 128) - hostBits)
      }
      first = end + 1
    }
  }
}
