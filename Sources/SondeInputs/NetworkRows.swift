import SondeAddresses
import SondeDatabases
import SondeRecords
import SondeTables

/// The entries of list items that local databases divide into blocks.
struct NetworkRows: Sendable {
  private let division: NetworkDivision
  private let keepsDuplicates: Bool
  /// The item that is being divided, and its place.
  private var current: (walk: NetworkWalk, place: Place)?
  /// The blocks of one address, and the larger ones by an address of their own.
  private var hosts = DistinctSet()
  private var networks = DistinctSet()

  init(_ division: NetworkDivision, keepsDuplicates: Bool) {
    (self.division, self.keepsDuplicates) = (division, keepsDuplicates)
  }

  /// Whether no item is being divided.
  var isIdle: Bool { current == nil }

  /// Begins to divide an item, whose text is given; returns `false` if that is no network.
  mutating func begin(_ item: ListItem, _ text: Span<UInt8>, at place: Place) -> Bool {
    switch item {
    case .address(let address, zone: nil):
      let host = AddressRange(block: address, length: address.isIPv4 ? 32 : 128)
      current = (division.blocks(of: host), place)
    case .range(let range): current = (division.blocks(of: range), place)
    case .invalid(let fault):
      guard let number = text.extracting(fault.item).systemNumber else { return false }
      current = (division.blocks(ofSystem: number), place)
    case .nothing, .address: return false
    }
    return true
  }

  /// Adds the rest of the item, up to `limit` records; returns whether it is complete.
  mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool {
    guard let current else { return true }
    var walk = current.walk
    let place = current.place
    // The walk has only one owner, so that it is not copied.
    self.current = nil
    while entries.block.records.count < limit {
      do throws(CompiledDatabase.Damage) {
        guard let block = try walk.next() else { return true }
        if isNew(block) { entries.append(block, at: place) } else { entries.duplicates += 1 }
      } catch {
        let reason = "a database's table in the cache was damaged meanwhile: run this again"
        entries.faults.append(InputError(name: "--by-network", reason: reason))
        return true
      }
    }
    self.current = (walk, place)
    return false
  }

  private mutating func isNew(_ block: AddressRange) -> Bool {
    if keepsDuplicates { return true }
    // No other block of several addresses has the same first address of its upper half.
    let half = block.lastOffset >> 1
    guard block.lastOffset > 0 else { return hosts.insert(block.first) }
    return networks.insert(block[half + 1])
  }
}

extension Span<UInt8> {
  /// The number of an autonomous system, written as `AS3320`; `nil` for any other text.
  package var systemNumber: UInt32? {
    guard count > 2, count <= 12, self[0] | 0x20 == UInt8(ascii: "a"),
      self[1] | 0x20 == UInt8(ascii: "s"), self[2] != UInt8(ascii: "0")
    else { return nil }
    var number: UInt64 = 0
    for index in 2..<count {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= self[index] else { return nil }
      number = number * 10 + UInt64(self[index] & 15)
    }
    return UInt32(exactly: number)
  }
}

extension EntryBlock {
  /// Appends the entry of a block, of which the first address is asked about.
  mutating func append(_ network: AddressRange, at place: Place) {
    append(network.first, at: place)
    name(network)
  }

  /// Gives the last entry a network.
  mutating func name(_ network: AddressRange) {
    guard let last = block.records.indices.last, let prefix = Prefix(network) else { return }
    var text: [UInt8] = []
    prefix.append(to: &text)
    block.records[last][.network] = block.append(text: text.span)
    areBlocks = true
  }
}
