import Addresses

/// The addresses of a piece of text, in its order.
struct FoundAddresses: Sendable {
  /// The addresses, every occurrence.
  var addresses: [Address] = []
  /// The zones of some of them, by their positions.
  var zones: [Int: [UInt8]] = [:]

  /// Makes one of matches in a text.
  init(_ matches: [LogMatch], in text: [UInt8]) {
    addresses.reserveCapacity(matches.count)
    for match in matches {
      if let zone = match.zone { zones[addresses.count] = Array(text[zone]) }
      addresses.append(match.address)
    }
  }

  /// Makes one of nothing.
  init() {}

  /// Blocks of positions that ``SeenEntries`` can take at once.
  var blocks: some Sequence<Range<Int>> {
    stride(from: 0, to: addresses.count, by: DistinctSet.blockSize).lazy.map {
      $0..<min($0 + DistinctSet.blockSize, addresses.count)
    }
  }
}

extension SeenEntries {
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
