/// A range of consecutive addresses, including the first and the last one.
public struct AddressRange: Hashable, Sendable {
  /// The lowest address.
  public let first: Address

  /// The highest address.
  public let last: Address

  /// Creates a range; `nil` if the families differ or `last` comes before `first`.
  public init?(first: Address, last: Address) {
    guard first.isIPv4 == last.isIPv4, first <= last else { return nil }
    (self.first, self.last) = (first, last)
  }

  /// Creates the CIDR block (RFC 4632, RFC 4291 §2.3) that contains an address.
  ///
  /// The prefix length is 0 to 32 for an IPv4 address, 0 to 128 for an IPv6 one.
  public init(block: Address, length: Int) {
    self.init(block: block, mappedLength: block.isIPv4 ? length + 96 : length)
  }

  /// Creates a block from a prefix length that counts all 128 bits, even for an IPv4 address.
  init(block: Address, mappedLength: Int) {
    precondition((0...128).contains(mappedLength), "a prefix length past the address's bits")
    let hostBits = UInt128.max >> UInt128(mappedLength)
    first = Address(number: block.number & ~hostBits)
    last = Address(number: block.number | hostBits)
  }

  /// The number of addresses less one, which fits even for `::/0`.
  @inlinable
  public var lastOffset: UInt128 { last.number - first.number }

  /// The number of addresses, in decimal digits.
  public var countText: String {
    // 2^128 does not fit into the type.
    lastOffset == .max ? "340282366920938463463374607431768211456" : "\(lastOffset + 1)"
  }

  /// The address at an offset, from 0 for the first address to ``lastOffset`` for the last.
  @inlinable
  public subscript(offset: UInt128) -> Address {
    precondition(offset <= lastOffset, "an offset past the end of the range")
    return Address(number: first.number + offset)
  }

  /// Whether the range contains an address.
  @inlinable
  public func contains(_ address: Address) -> Bool { first <= address && address <= last }

  /// Whether the range contains more addresses than a limit.
  @inlinable
  public func exceeds(_ limit: UInt64) -> Bool { lastOffset >= UInt128(limit) }

  /// The reason, without a column, for an ``ItemFault`` if the range exceeds `--max-expand`.
  public func expansionReason(limit: UInt64) -> String {
    let noun = lastOffset == 0 ? "address" : "addresses"
    return "holds \(countText) \(noun), more than --max-expand \(limit) allows"
  }
}
