/// A set of the addresses seen so far.
///
/// It uses open addressing without tombstones or stored hashes, with 4 bytes per slot for IPv4 and
/// 16 for IPv6. Many small tables grow one at a time, so the set never needs twice its memory. An
/// IPv4 address takes 5 to 7.5 bytes on average, an IPv6 address 18.8 to 23.6. Each set has a
/// random hash key, so that no list can be built to collide.
public struct DistinctSet: Sendable {
  private var ipv4 = [SlotTable<IPv4Slot>](repeating: SlotTable(), count: 128)
  private var ipv6 = [SlotTable<IPv6Slot>](repeating: SlotTable(), count: 128)
  /// Link-local addresses with their zones (RFC 4007), which are rare.
  private var zoned: Set<[UInt8]> = []
  private let key: AddressHash

  /// The number of addresses without a zone.
  public private(set) var count = 0

  /// Creates an empty set.
  public init() { key = AddressHash() }

  /// Adds an address, and returns whether it was new.
  public mutating func insert(_ address: Address) -> Bool {
    insert(address, hash: hash(of: address))
  }

  /// Adds an address with its zone, which is part of its identity; returns whether it was new.
  public mutating func insert(_ address: Address, zone: Span<UInt8>) -> Bool {
    var key: [UInt8] = []
    address.append(to: &key)
    key.append(UInt8(ascii: "%"))
    for index in zone.indices { key.append(zone[index]) }
    return zoned.insert(key).inserted
  }

  /// The largest number of addresses that ``insert(_:)-(Span<Address>)`` accepts.
  public static let blockSize = UInt64.bitWidth

  /// Adds up to ``blockSize`` addresses; returns one bit for each from the lowest, set if it is
  /// new.
  ///
  /// A large set does not fit into the caches, so each lookup waits for memory. This method
  /// requests the memory of all addresses before it waits for the first one.
  public mutating func insert(_ addresses: Span<Address>) -> UInt64 {
    precondition(addresses.count <= Self.blockSize, "more addresses than bits")
    var hashes = InlineArray<64, UInt64>(repeating: 0)
    var known: UInt64 = 0
    for index in addresses.indices {
      hashes[index] = hash(of: addresses[index])
      let isKnown = isAtHome(addresses[index], hash: hashes[index])
      known |= (isKnown ? 1 : 0) << UInt64(truncatingIfNeeded: index)
    }
    var new: UInt64 = 0
    for index in addresses.indices where known >> UInt64(truncatingIfNeeded: index) & 1 == 0 {
      let isNew = insert(addresses[index], hash: hashes[index])
      new |= (isNew ? 1 : 0) << UInt64(truncatingIfNeeded: index)
    }
    return new
  }

  @inline(__always)
  private mutating func insert(_ address: Address, hash: UInt64) -> Bool {
    let isNew =
      address.isIPv4
      ? ipv4[table(of: hash)].insert(IPv4Slot(address), hash: hash, key: key)
      : ipv6[table(of: hash)].insert(IPv6Slot(address), hash: hash, key: key)
    if isNew { count &+= 1 }
    return isNew
  }

  /// Whether the address is in the first bucket of its probe sequence.
  @inline(__always)
  private func isAtHome(_ address: Address, hash: UInt64) -> Bool {
    address.isIPv4
      ? ipv4[table(of: hash)].hasAtHome(IPv4Slot(address), hash: hash)
      : ipv6[table(of: hash)].hasAtHome(IPv6Slot(address), hash: hash)
  }

  @inline(__always)
  private func hash(of address: Address) -> UInt64 { key.hash(of: address) }

  /// The table that the top 7 bits of a hash select.
  @inline(__always)
  private func table(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 57) }

  var slotBytes: Int {
    ipv4.reduce(0) { $0 + $1.capacity * MemoryLayout<IPv4Slot>.stride }
      + ipv6.reduce(0) { $0 + $1.capacity * MemoryLayout<IPv6Slot>.stride }
  }
}

/// A slot of a table: an address, or empty if all its bits are zero.
private protocol Slot: Equatable, Sendable {
  static var empty: Self { get }

  /// The fill level, in percent, at which a table grows, and the level after that.
  static var fullness: (most: Int, afterGrowth: Int) { get }

  func hash(_ key: AddressHash) -> UInt64

  /// Searches a complete bucket for this slot and the first vacant lane, ``Bucket/size`` if none.
  func look(in slots: Span<Self>, at start: Int) -> (isThere: Bool, vacant: Int)
}

/// Slots that are compared together.
private enum Bucket {
  static var size: Int { 4 }
}

private struct IPv4Slot: Slot {
  let number: UInt32

  init(_ address: Address) { number = UInt32(truncatingIfNeeded: address.low) }
  private init(number: UInt32) { self.number = number }

  static var empty: IPv4Slot { IPv4Slot(number: 0) }
  static var fullness: (most: Int, afterGrowth: Int) { (80, 54) }

  @inline(__always)
  func hash(_ key: AddressHash) -> UInt64 { key.hash(0xffff_0000_0000 | UInt64(number)) }

  @inline(__always)
  func look(in slots: Span<IPv4Slot>, at start: Int) -> (isThere: Bool, vacant: Int) {
    let bytes = unsafe slots.bytes
    let lanes = unsafe bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: start &* MemoryLayout<IPv4Slot>.stride,
      as: SIMD4<UInt32>.self
    )
    let vacant = Self.bits(lanes .== 0) | 16
    return (Self.bits(lanes .== SIMD4(repeating: number)) != 0, vacant.trailingZeroBitCount)
  }

  /// One bit per lane of a mask.
  @inline(__always)
  private static func bits(_ mask: SIMDMask<SIMD4<Int32>>) -> UInt32 {
    SIMD4<UInt32>().replacing(with: SIMD4(1, 2, 4, 8), where: mask).wrappedSum()
  }
}

private struct IPv6Slot: Slot {
  let (high, low): (UInt64, UInt64)

  init(_ address: Address) { (high, low) = (address.high, address.low) }

  static var empty: IPv6Slot { IPv6Slot(Address(high: 0, low: 0)) }
  static var fullness: (most: Int, afterGrowth: Int) { (85, 68) }

  @inline(__always)
  func hash(_ key: AddressHash) -> UInt64 { key.hash(high, low) }

  @inline(__always)
  func look(in slots: Span<IPv6Slot>, at start: Int) -> (isThere: Bool, vacant: Int) {
    let (first, second, third, fourth) = unsafe (
      slots[unchecked: start], slots[unchecked: start &+ 1],
      slots[unchecked: start &+ 2], slots[unchecked: start &+ 3]
    )
    var vacant = fourth == .empty ? 3 : 4
    vacant = third == .empty ? 2 : vacant
    vacant = second == .empty ? 1 : vacant
    vacant = first == .empty ? 0 : vacant
    return (first == self || second == self || third == self || fourth == self, vacant)
  }
}

/// One table of buckets, probed bucket by bucket; the address whose bits are all zero is stored
/// separately.
///
/// All slots of a bucket are compared without a branch for each: a mispredicted branch that waits
/// for memory costs more than all the comparisons.
private struct SlotTable<S: Slot>: Sendable {
  private var slots: [S] = []
  private var used = 0
  private var room = 0
  private var hasZero = false

  var capacity: Int { slots.count }

  @inline(__always)
  mutating func insert(_ slot: S, hash: UInt64, key: AddressHash) -> Bool {
    guard slot != .empty else {
      defer { hasZero = true }
      return !hasZero
    }
    if room == 0 { grow(key) }
    guard let index = Self.vacancy(for: slot, hash: hash, in: slots.span) else { return false }
    slots[index] = slot
    used &+= 1
    room &-= 1
    return true
  }

  /// Whether the first bucket to probe contains a slot; never true of the slot of zero bits.
  @inline(__always)
  func hasAtHome(_ slot: S, hash: UInt64) -> Bool {
    guard slot != .empty, !slots.isEmpty else { return false }
    return slot.look(in: slots.span, at: Self.home(of: hash, in: slots.count)).isThere
  }

  /// The start of the first bucket to probe, by the lower 32 bits; the top bits select the table.
  @inline(__always)
  private static func home(of hash: UInt64, in capacity: Int) -> Int {
    let low = UInt64(UInt32(truncatingIfNeeded: hash))
    let buckets = UInt64(truncatingIfNeeded: capacity / Bucket.size)
    return Int(truncatingIfNeeded: (low &* buckets) >> 32) &* Bucket.size
  }

  /// The index where a slot is to be stored; `nil` if it is already there.
  @inline(__always)
  private static func vacancy(for slot: S, hash: UInt64, in slots: Span<S>) -> Int? {
    var start = home(of: hash, in: slots.count)
    while true {
      let (isThere, vacant) = slot.look(in: slots, at: start)
      if isThere { return nil }
      if vacant < Bucket.size { return start &+ vacant }
      start &+= Bucket.size
      if start == slots.count { start = 0 }
    }
  }

  @inline(never)
  private mutating func grow(_ key: AddressHash) {
    let wanted = used * 100 / (S.fullness.afterGrowth * Bucket.size) + 1
    let capacity = wanted * Bucket.size
    var larger = [S](repeating: .empty, count: capacity)
    for slot in slots where slot != .empty {
      if let index = Self.vacancy(for: slot, hash: slot.hash(key), in: larger.span) {
        larger[index] = slot
      }
    }
    slots = larger
    room = max(1, capacity * S.fullness.most / 100 - used)
  }
}
