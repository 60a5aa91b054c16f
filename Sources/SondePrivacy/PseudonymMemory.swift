import SondeAddresses
import Synchronization

/// The pseudonyms of addresses met lately, for any number of threads.
///
/// An address has a few places, chosen by its hash; where all are taken, it displaces another one.
/// So the memory is bounded, and the addresses of a log, which come again and again, are encrypted
/// once.
@safe
final class PseudonymMemory: Sendable {
  /// The bits of the number of an IPv4 address's places: 4 MiB.
  private static let shortBits = 19
  /// The places of an IPv4 address, which share a part of a line of the processor's cache.
  private static let ways = 4
  /// The bits of the number of an IPv6 address's places, 32 bytes each: 2 MiB.
  private static let longBits = 16
  /// The number of addresses that are looked up together.
  private static let blockSize = 64

  /// Each place holds an IPv4 address and its pseudonym in one word, so that no reader can see one
  /// without the other; 0 is vacant, so `0.0.0.0` is never remembered.
  private nonisolated(unsafe) let short: UnsafeMutablePointer<Atomic<UInt64>>
  /// The IPv6 addresses, once there is one.
  private let long = Mutex<[LongPlace]>([])

  /// An IPv6 address and its pseudonym; both are zero if it is vacant, so `::` is never remembered.
  private struct LongPlace: Sendable {
    var address = Address(high: 0, low: 0)
    var pseudonym = Address(high: 0, low: 0)
  }

  init() {
    let count = 1 << Self.shortBits
    unsafe short = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: count)
    for index in 0..<count { unsafe (short + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe short.deinitialize(count: 1 << Self.shortBits)
    unsafe short.deallocate()
  }

  /// Replaces the remembered addresses by their pseudonyms; `missing` gets the positions of all
  /// others.
  func replace(_ addresses: inout [Address], missing: inout [Int]) {
    var hasLong = false
    for start in stride(from: 0, to: addresses.count, by: Self.blockSize) {
      let block = start..<min(start + Self.blockSize, addresses.count)
      // Requests the memory of all addresses before waiting for the first.
      var found = InlineArray<64, UInt64>(repeating: 0)
      for index in block {
        found[index &- start] = entry(of: UInt32(truncatingIfNeeded: addresses[index].low))
      }
      for index in block {
        let entry = found[index &- start]
        if !addresses[index].isIPv4 {
          hasLong = true
        } else if entry == 0 {
          missing.append(index)
        } else {
          addresses[index] = Address(ipv4: UInt32(truncatingIfNeeded: entry))
        }
      }
    }
    guard hasLong else { return }
    long.withLock { places in
      for index in addresses.indices where !addresses[index].isIPv4 {
        let address = addresses[index]
        let place = places.isEmpty ? nil : Self.place(of: address, in: places)
        if let place, places[place].address == address, address != LongPlace().address {
          addresses[index] = places[place].pseudonym
        } else {
          missing.append(index)
        }
      }
    }
  }

  /// Remembers the pseudonyms of addresses.
  func insert(_ pairs: [(address: Address, pseudonym: Address)]) {
    var hasLong = false
    for (address, pseudonym) in pairs {
      guard let number = address.ipv4, let known = pseudonym.ipv4 else {
        hasLong = true
        continue
      }
      insert(known, of: number)
    }
    guard hasLong else { return }
    long.withLock { places in
      if places.isEmpty { places = Array(repeating: LongPlace(), count: 1 << Self.longBits) }
      for (address, pseudonym) in pairs where !address.isIPv4 {
        let place = Self.place(of: address, in: places)
        places[place] = LongPlace(address: address, pseudonym: pseudonym)
      }
    }
  }

  /// The place that holds an IPv4 address; 0 if none does.
  @inline(__always)
  private func entry(of number: UInt32) -> UInt64 {
    let first = Self.firstPlace(of: number)
    var found: UInt64 = 0
    for way in 0..<Self.ways {
      let entry = unsafe short[first &+ way].load(ordering: .relaxed)
      found = entry >> 32 == UInt64(number) ? entry : found
    }
    return found
  }

  private func insert(_ pseudonym: UInt32, of number: UInt32) {
    guard number != 0 else { return }
    let first = Self.firstPlace(of: number)
    // Without a vacant place, the address itself says which one it displaces.
    var way = Int(number & UInt32(Self.ways - 1))
    for other in 0..<Self.ways {
      if unsafe short[first &+ other].load(ordering: .relaxed) == 0 {
        way = other
        break
      }
    }
    let entry = UInt64(number) << 32 | UInt64(pseudonym)
    unsafe short[first &+ way].store(entry, ordering: .relaxed)
  }

  /// Knuth's multiplicative hashing (The Art of Computer Programming, 6.4).
  @inline(__always)
  private static func firstPlace(of number: UInt32) -> Int {
    let hash = (number &* 0x9e37_79b1) >> UInt32(32 - shortBits)
    return Int(truncatingIfNeeded: hash) & ~(ways - 1)
  }

  /// The place that holds an IPv6 address, or the one of two that it takes: a vacant one first.
  private static func place(of address: Address, in places: [LongPlace]) -> Int {
    let mixed = (address.high ^ (address.low &* 0xff51_afd7_ed55_8ccd)) &* 0x9e37_79b9_7f4a_7c15
    let place = Int(truncatingIfNeeded: mixed >> UInt64(64 - longBits))
    let (vacant, other) = (LongPlace().address, place ^ 1)
    if places[place].address == address { return place }
    if places[other].address == address { return other }
    return places[place].address != vacant && places[other].address == vacant ? other : place
  }
}
