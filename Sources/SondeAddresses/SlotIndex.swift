/// Finds entries by the hashes of their addresses.
///
/// A slot contains the hash and the index of an entry, so that an entry is only read if it is most
/// likely the right one, and growing reads none.
public struct SlotIndex: Sendable {
  /// The hash in the high bits, the index plus 1 in the low bits; 0 is vacant.
  @usableFromInline var slots = [UInt64](repeating: 0, count: 1024)
  @usableFromInline var used = 0

  /// Creates an empty index.
  public init() {}

  /// The index plus 1 of the entry that most likely has a hash; 0 if the first slot does not match.
  @inlinable
  @inline(__always)
  public func guess(_ hash: UInt32) -> UInt32 {
    let slot = slots[Self.home(of: hash, in: slots.count)]
    return slot >> 32 == UInt64(hash) ? UInt32(truncatingIfNeeded: slot) : 0
  }

  /// Finds an entry for which `isRight` returns true, or inserts `place` and returns `nil`.
  @inlinable
  @inline(__always)
  public mutating func find(_ hash: UInt32, orInsert place: Int, _ isRight: (Int) -> Bool) -> Int? {
    if used &* 4 >= slots.count &* 3 { grow() }
    var index = Self.home(of: hash, in: slots.count)
    while slots[index] != 0 {
      if slots[index] >> 32 == UInt64(hash) {
        let known = Int(UInt32(truncatingIfNeeded: slots[index])) &- 1
        if isRight(known) { return known }
      }
      index &+= 1
      if index == slots.count { index = 0 }
    }
    slots[index] = UInt64(hash) << 32 | UInt64(UInt32(truncatingIfNeeded: place) &+ 1)
    used &+= 1
    return nil
  }

  /// Finds an entry for which `isRight` returns true.
  @inlinable
  public func find(_ hash: UInt32, _ isRight: (Int) -> Bool) -> Int? {
    var index = Self.home(of: hash, in: slots.count)
    while slots[index] != 0 {
      if slots[index] >> 32 == UInt64(hash) {
        let known = Int(UInt32(truncatingIfNeeded: slots[index])) &- 1
        if isRight(known) { return known }
      }
      index = index + 1 == slots.count ? 0 : index + 1
    }
    return nil
  }

  /// The first slot to probe for a hash, in proportion to the range of hashes.
  @inlinable
  @inline(__always)
  public static func home(of hash: UInt32, in capacity: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(truncatingIfNeeded: capacity)) >> 32)
  }

  @usableFromInline
  @inline(never)
  mutating func grow() {
    var larger = [UInt64](repeating: 0, count: 2 * slots.count)
    for slot in slots where slot != 0 {
      var index = Self.home(of: UInt32(truncatingIfNeeded: slot >> 32), in: larger.count)
      while larger[index] != 0 { index = index + 1 == larger.count ? 0 : index + 1 }
      larger[index] = slot
    }
    slots = larger
  }
}
