public import SondeAddresses

/// A network: the addresses that begin with the same bits (RFC 4632, RFC 4291 §2.3).
public struct Prefix: Hashable, Sendable {
  /// The lowest address.
  public let address: Address

  /// How many bits are the same, at most 32 of an IPv4 network and 128 of an IPv6 one.
  public let length: Int

  /// Makes the network of an address; its host bits do not matter.
  ///
  /// - Parameters:
  ///   - address: Any address of the network.
  ///   - length: The prefix length: 0 to 32 for an IPv4 address, 0 to 128 for an IPv6 one.
  public init(holding address: Address, length: Int) {
    self.address = AddressRange(block: address, length: length).first
    self.length = length
  }

  /// Makes the network that a range is; `nil` where it is none.
  ///
  /// An IPv6 range is an IPv6 network, also where it holds the IPv4-mapped addresses and others.
  public init?(_ range: AddressRange) {
    let hostBits = range.lastOffset
    guard hostBits & (hostBits &+ 1) == 0, range.first.number & hostBits == 0 else { return nil }
    address = range.first
    length = hostBits.leadingZeroBitCount - (range.first.isIPv4 ? 96 : 0)
  }

  /// The bytes of the longest text.
  static let textCapacity = Address.textCapacity + 4

  /// Appends `ADDRESS/LENGTH`, also for a single address.
  public func append(to output: inout [UInt8]) {
    output.append(addingCapacity: Self.textCapacity) { append(to: &$0) }
  }

  /// Appends `ADDRESS/LENGTH` where there is room for the longest text.
  func append(to output: inout OutputSpan<UInt8>) {
    address.append(to: &output)
    output.append(UInt8(ascii: "/"))
    if length >= 100 { output.append(UInt8(ascii: "1")) }
    if length >= 10 { output.append(UInt8(ascii: "0") + UInt8(length / 10 % 10)) }
    output.append(UInt8(ascii: "0") + UInt8(length % 10))
  }
}

extension Prefix {
  /// The networks that are left of it without those of a table, the largest that there can be.
  public func parts(outside table: NetworkTable) -> [Prefix] {
    guard table.overlaps(self) else { return [self] }
    if let match = table.match(address), match.prefix.length <= length { return [] }
    let bits = address.isIPv4 ? 32 : 128
    guard length < bits else { return [] }
    let upper = Address(number: address.number | 1 << UInt128(bits - 1 - length))
    // The mapped half of an IPv6 network is no address of that family.
    let halves = [address, upper].filter { $0.isIPv4 == address.isIPv4 }
    return halves.flatMap { Prefix(holding: $0, length: length + 1).parts(outside: table) }
  }
}

extension Prefix: CustomStringConvertible {
  /// `ADDRESS/LENGTH`.
  public var description: String { "\(address)/\(length)" }
}
