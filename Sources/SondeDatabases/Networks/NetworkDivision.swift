public import SondeAddresses

/// Divides addresses into the blocks that have the same answer from some databases.
///
/// A block has the answer of one network of each database, or none, and is special-purpose as a
/// whole or not at all. Nothing but the place in each database is in memory.
public struct NetworkDivision: Sendable {
  /// The databases in order of preference, compiled.
  let tables: [CompiledDatabase]

  /// The blocks of a range, in ascending order: they cover it exactly, in as few as there can be.
  ///
  /// Of a range of IPv6 that holds the IPv4-mapped addresses these are blocks of IPv4.
  public func blocks(of range: AddressRange) -> NetworkWalk {
    NetworkWalk(through: Self.families(in: range), by: tables, of: nil)
  }

  /// The blocks whose answer names an autonomous system, first those of IPv4, in ascending order;
  /// without those of IPv6 in which a database repeats IPv4.
  public func blocks(ofSystem number: UInt32) -> NetworkWalk {
    let ipv4 = AddressRange(block: Address(ipv4: 0), length: 0)
    let all = Self.families(in: AddressRange(block: Address(high: 0, low: 0), length: 0))
    return NetworkWalk(through: [ipv4] + all.filter { $0 != ipv4 }, by: tables, of: number)
  }

  /// The parts of a range that are of one family each, in ascending order.
  private static func families(in range: AddressRange) -> [AddressRange] {
    let ipv4 = AddressRange(block: Address(ipv4: 0), length: 0)
    guard !range.first.isIPv4, range.first < ipv4.first, ipv4.last < range.last else {
      return [range]
    }
    let before = Address(number: ipv4.first.number - 1)
    let behind = Address(number: ipv4.last.number + 1)
    return [
      AddressRange(first: range.first, last: before), ipv4,
      AddressRange(first: behind, last: range.last),
    ].compactMap(\.self)
  }
}

/// A walk over the blocks of a ``NetworkDivision``.
public struct NetworkWalk: Sendable {
  /// What is known about the addresses from one on, up to the last one.
  private struct Stretch {
    let finding: CompiledDatabase.Finding
    let last: Address
  }

  private let tables: [CompiledDatabase]
  /// The AS number in the answer; `nil` for every block.
  private let system: UInt32?
  /// The ranges still to be walked through, the next one last.
  private var ranges: [AddressRange]
  /// The stretch of each database at the current place; empty at the start of a range.
  private var stretches: [Stretch] = []
  /// The rest of the current stretch, which is still to be divided into blocks.
  private var rest: AddressRange?

  init(through ranges: [AddressRange], by tables: [CompiledDatabase], of system: UInt32?) {
    (self.tables, self.system, self.ranges) = (tables, system, ranges.reversed())
  }

  /// The next block; `nil` at the end.
  ///
  /// - Throws: ``CompiledDatabase/Damage`` if a compiled database was damaged meanwhile.
  public mutating func next() throws(CompiledDatabase.Damage) -> AddressRange? {
    while true {
      if let range = rest {
        let block = range.largestBlockAtStart
        rest = range.behind(block.last)
        return block
      }
      guard let range = ranges.popLast() else { return nil }
      let part = try advance(in: range)
      if try isWanted(part.first) { rest = part }
      if let others = range.behind(part.last) {
        ranges.append(others)
      } else {
        stretches = []
      }
    }
  }

  /// The addresses from the first of a range on that have the same answer.
  private mutating func advance(in range: AddressRange) throws(CompiledDatabase.Damage)
    -> AddressRange
  {
    var last = min(range.last, Self.lastAddress(asSpecialAs: range.first))
    // What databases have of special-purpose addresses is no answer.
    let asked = range.first.specialPurpose == nil ? tables.indices : 0..<0
    for index in asked {
      if index == stretches.count {
        stretches.append(try stretch(of: index, in: range))
      } else if stretches[index].last < range.first {
        stretches[index] = try stretch(of: index, in: range)
      }
      last = min(last, stretches[index].last)
    }
    return AddressRange(first: range.first, last: last) ?? range
  }

  /// The stretch of a database that begins with a range: the rest of a network without those nested
  /// in it, or all addresses up to the next network.
  private func stretch(
    of index: Int,
    in range: AddressRange
  ) throws(CompiledDatabase.Damage) -> Stretch {
    var (finding, last) = try tables[index].range(at: range.first)
    var limit = range.last
    if !finding.isNothing { limit = min(limit, finding.lastAddress(ofNetworkAt: range.first)) }
    while last < limit {
      let next = try tables[index].range(at: Address(number: last.number + 1))
      guard next.finding == finding else { break }
      last = next.last
    }
    return Stretch(finding: finding, last: min(last, limit))
  }

  /// Whether the answer of an address in the current stretch names the system that is wanted.
  ///
  /// The IPv6 addresses for which a database repeats its IPv4 networks are none of a system's.
  private func isWanted(_ address: Address) throws(CompiledDatabase.Damage) -> Bool {
    guard let system else { return true }
    guard address.specialPurpose == nil else { return false }
    for index in tables.indices {
      let number = tables[index].systemNumber(of: stretches[index].finding)
      guard number != 0 else { continue }
      guard number == system else { return false }
      let isRepeated = try tables[index].isEmbedding(address)
      return !isRepeated
    }
    return false
  }

  /// The special-purpose ranges in ascending order.
  private static let special = SpecialPurposeBlock.unreachableRanges.sorted { $0.first < $1.first }

  /// The last address that is in the same special-purpose block as another, or in none like it.
  private static func lastAddress(asSpecialAs address: Address) -> Address {
    guard let next = special.first(where: { $0.last >= address }) else {
      return Address(high: .max, low: .max)
    }
    return next.contains(address) ? next.last : Address(number: next.first.number - 1)
  }
}

extension AddressRange {
  /// The largest block at the start; repeated, this gives the fewest blocks.
  fileprivate var largestBlockAtStart: AddressRange {
    // At most 127 bits, for the IPv4-mapped addresses are never inside a range.
    let fitting = 127 - (lastOffset + 1).leadingZeroBitCount
    let hostBits = min(first.number.trailingZeroBitCount, fitting)
    return AddressRange(block: first, length: (first.isIPv4 ? 32 : 128) - hostBits)
  }

  /// The part behind an address in it; `nil` if that is the last one.
  fileprivate func behind(_ address: Address) -> AddressRange? {
    guard address < last else { return nil }
    return AddressRange(first: Address(number: address.number + 1), last: last)
  }
}
