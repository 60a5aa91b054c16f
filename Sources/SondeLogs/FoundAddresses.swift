package import SondeAddresses

/// The addresses of a slice of text, in its order.
package struct FoundAddresses: Sendable {
  /// The addresses, every occurrence.
  package var addresses: [Address] = []
  /// The zones of some of them, by their positions.
  package var zones: [Int: [UInt8]] = [:]

  /// Makes one of a slice that has been searched.
  init(_ slice: LogSlice) {
    if let captured = slice.captured {
      addresses = captured
      return
    }
    addresses.reserveCapacity(slice.matches.count)
    for match in slice.matches {
      if let zone = match.zone { zones[addresses.count] = Array(slice.bytes[zone]) }
      addresses.append(match.address)
    }
  }

  /// Makes one of nothing.
  package init() {}

  /// Makes room for so many.
  package mutating func reserve(_ count: Int) { addresses.reserveCapacity(count) }

  /// Adds one that was found in a text.
  @inline(__always)
  package mutating func append(_ match: LogMatch, of text: Span<UInt8>) {
    if let zone = match.zone { zones[addresses.count] = zone.map { text[$0] } }
    addresses.append(match.address)
  }

  /// Adds one.
  package mutating func append(_ address: Address, zone: [UInt8]?) {
    if let zone { zones[addresses.count] = zone }
    addresses.append(address)
  }

  /// Leaves out the first ones.
  package mutating func removeFirst(_ count: Int) {
    addresses.removeFirst(count)
    zones = zones.reduce(into: [:]) { if $1.key >= count { $0[$1.key - count] = $1.value } }
  }

  /// How many blocks of as many addresses as ``DistinctSet`` takes at once there are.
  package var blockCount: Int {
    (addresses.count + DistinctSet.blockSize - 1) / DistinctSet.blockSize
  }

  /// The positions of a block.
  package func block(_ number: Int) -> Range<Int> {
    let start = number * DistinctSet.blockSize
    return start..<min(start + DistinctSet.blockSize, addresses.count)
  }

  /// The positions in a block that have a bit, in order.
  func indices(of block: Int, _ mask: UInt64) -> some Sequence<Int> {
    let start = block * DistinctSet.blockSize
    return sequence(state: mask) { mask -> Int? in
      guard mask != 0 else { return nil }
      defer { mask &= mask - 1 }
      return start + mask.trailingZeroBitCount
    }
  }
}

extension DistinctSet {
  /// Remembers a block of addresses, with a bit for each that was not known.
  mutating func insert(_ found: FoundAddresses, _ block: Range<Int>) -> UInt64 {
    guard !found.zones.isEmpty else {
      return insert(found.addresses.span.extracting(block))
    }
    var new: UInt64 = 0
    for index in block {
      let isNew: Bool
      if let zone = found.zones[index] {
        isNew = insert(found.addresses[index], zone: zone.span)
      } else {
        isNew = insert(found.addresses[index])
      }
      if isNew { new |= 1 << UInt64(index - block.lowerBound) }
    }
    return new
  }
}
