/// A hash of addresses with a random key, so that no list can be built to collide.
///
/// It takes two or three rounds of multiply and fold.
public struct AddressHash: Sendable {
  @usableFromInline let (first, second, third): (UInt64, UInt64, UInt64)

  /// Creates a hash with a new random key.
  public init() {
    var generator = SystemRandomNumberGenerator()
    first = generator.next()
    second = generator.next() | 1
    third = generator.next() | 1
  }

  /// The hash of an address.
  @inlinable
  @inline(__always)
  public func hash(of address: Address) -> UInt64 {
    address.isIPv4 ? hash(address.low) : hash(address.high, address.low)
  }

  @inlinable
  @inline(__always)
  func hash(_ low: UInt64) -> UInt64 { Self.fold(Self.fold(low ^ first, second) ^ first, third) }

  @inlinable
  @inline(__always)
  func hash(_ high: UInt64, _ low: UInt64) -> UInt64 {
    Self.fold(Self.fold(Self.fold(low ^ first, second) ^ high, third) ^ first, second)
  }

  @inlinable
  @inline(__always)
  static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
