import SondeAddresses

/// The pseudonyms of addresses met lately; each address has one place, where the last one stays.
struct PseudonymMemory {
  /// The bits of a place's number for IPv4, 8 bytes each, and for IPv6, 32 bytes each.
  private static let (shortBits, longBits) = (17, 14)

  /// Address and pseudonym of each place.
  private var short: [UInt64]
  private var long: [(address: Address, pseudonym: Address)] = []
  private let longest: (address: Address, pseudonym: Address)

  /// Creates a memory of the pseudonyms of `0.0.0.0` and `::`, which fill all places.
  init(ofZeros zeros: (short: Address, long: Address)) {
    short = Array(
      repeating: UInt64(zeros.short.ipv4 ?? 0),
      count: 1 << Self.shortBits
    )
    longest = (Address(high: 0, low: 0), zeros.long)
  }

  /// The pseudonym of an address; `nil` if it is not remembered.
  @inline(__always)
  subscript(address: Address) -> Address? {
    if address.isIPv4 {
      let number = UInt32(truncatingIfNeeded: address.low)
      let entry = short[Self.place(of: number)]
      guard entry >> 32 == UInt64(number) else { return nil }
      return Address(ipv4: UInt32(truncatingIfNeeded: entry))
    }
    guard !long.isEmpty else { return nil }
    let entry = long[Self.place(of: address)]
    return entry.address == address ? entry.pseudonym : nil
  }

  mutating func insert(_ pseudonym: Address, of address: Address) {
    if address.isIPv4 {
      let number = UInt32(truncatingIfNeeded: address.low)
      short[Self.place(of: number)] = UInt64(number) << 32 | pseudonym.low & 0xffff_ffff
    } else {
      if long.isEmpty { long = Array(repeating: longest, count: 1 << Self.longBits) }
      long[Self.place(of: address)] = (address, pseudonym)
    }
  }

  /// Knuth's multiplicative hashing (The Art of Computer Programming, 6.4).
  private static func place(of number: UInt32) -> Int {
    Int(truncatingIfNeeded: (number &* 0x9e37_79b1) >> UInt32(32 - shortBits))
  }

  private static func place(of address: Address) -> Int {
    let mixed = (address.high ^ (address.low &* 0xff51_afd7_ed55_8ccd)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed >> UInt64(64 - longBits))
  }
}
