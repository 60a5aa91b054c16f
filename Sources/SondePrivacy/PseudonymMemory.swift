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

  /// Each place holds an IPv4 address and its pseudonym in one word, so that no reader can see one
  /// without the other; 0 is vacant, so `0.0.0.0` is never remembered.
  private nonisolated(unsafe) let short: UnsafeMutablePointer<Atomic<UInt64>>
  /// The IPv6 addresses, once there is one.
  private let long = Mutex<[LongPlace]>([])

  private struct LongPlace: Sendable {
    var address = Address(high: 0, low: 0)
    /// `nil` if vacant.
    var pseudonym: Address?
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
    for index in addresses.indices {
      let address = addresses[index]
      guard address.isIPv4 else {
        hasLong = true
        continue
      }
      if let known = pseudonym(of: UInt32(truncatingIfNeeded: address.low)) {
        addresses[index] = Address(ipv4: known)
      } else {
        missing.append(index)
      }
    }
    guard hasLong else { return }
    long.withLock { places in
      for index in addresses.indices where !addresses[index].isIPv4 {
        let address = addresses[index]
        let place = places.isEmpty ? LongPlace() : places[Self.place(of: address)]
        if let known = place.pseudonym, place.address == address {
          addresses[index] = known
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
        places[Self.place(of: address)] = LongPlace(address: address, pseudonym: pseudonym)
      }
    }
  }

  @inline(__always)
  private func pseudonym(of number: UInt32) -> UInt32? {
    let first = Self.firstPlace(of: number)
    var found: UInt64 = 0
    for way in 0..<Self.ways {
      let entry = unsafe short[first &+ way].load(ordering: .relaxed)
      if entry >> 32 == UInt64(number) { found = entry }
    }
    return found == 0 ? nil : UInt32(truncatingIfNeeded: found)
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

  private static func place(of address: Address) -> Int {
    let mixed = (address.high ^ (address.low &* 0xff51_afd7_ed55_8ccd)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed >> UInt64(64 - longBits))
  }
}
