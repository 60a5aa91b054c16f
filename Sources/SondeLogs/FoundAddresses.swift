package import SondeAddresses
import SondeInputs

/// The addresses of a slice, in order.
package struct FoundAddresses: Sendable {
  package var addresses: [Address] = []
  /// The zones of addresses, by position.
  package var zones: [Int: [UInt8]] = [:]

  init(_ slice: LogSlice) {
    if let captured = slice.captured {
      addresses = captured.addresses
      return
    }
    addresses.reserveCapacity(slice.matches.count)
    for match in slice.matches {
      if let zone = match.zone { zones[addresses.count] = slice.bytes.span.zone(zone) }
      addresses.append(match.address)
    }
  }

  package init() {}

  /// Addresses without zones.
  init(_ addresses: [Address]) { self.addresses = addresses }

  @inline(__always)
  package mutating func append(_ match: LogMatch, of text: Span<UInt8>) {
    if let zone = match.zone { zones[addresses.count] = text.zone(zone) }
    addresses.append(match.address)
  }

  package mutating func append(_ address: Address, zone: [UInt8]?) {
    if let zone { zones[addresses.count] = zone }
    addresses.append(address)
  }

  package mutating func removeFirst(_ count: Int) {
    addresses.removeFirst(count)
    zones = zones.reduce(into: [:]) { if $1.key >= count { $0[$1.key - count] = $1.value } }
  }

  /// The number of blocks of the size that ``DistinctSet`` accepts.
  package var blockCount: Int {
    (addresses.count + DistinctSet.blockSize - 1) / DistinctSet.blockSize
  }

  /// The positions of a block.
  package func block(_ number: Int) -> Range<Int> {
    let start = number * DistinctSet.blockSize
    return start..<min(start + DistinctSet.blockSize, addresses.count)
  }

  /// The positions in a block whose bits are set, in order.
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
  /// Adds a block of addresses, and returns a bit for each new one.
  mutating func insert(_ found: FoundAddresses, _ block: Range<Int>) -> UInt64 {
    guard !found.zones.isEmpty else {
      return insert(found.addresses.span.extracting(block))
    }
    var new: UInt64 = 0
    for index in block {
      let address = found.addresses[index]
      let isNew = found.zones[index].map { insert(address, zone: $0.span) } ?? insert(address)
      if isNew { new |= 1 << UInt64(index - block.lowerBound) }
    }
    return new
  }
}
