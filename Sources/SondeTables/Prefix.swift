public import SondeAddresses

/// A network: addresses with the same leading bits (RFC 4632, RFC 4291 §2.3).
public struct Prefix: Hashable, Sendable {
  /// The lowest address.
  public let address: Address

  /// The number of equal bits, at most 32 for IPv4 and 128 for IPv6.
  public let length: Int

  /// Creates the network of an address, whose host bits are ignored; the length is at most 32 for
  /// an IPv4 address, and at most 128 for an IPv6 one.
  public init(holding address: Address, length: Int) {
    self.address = AddressRange(block: address, length: length).first
    self.length = length
  }

  /// Creates the network equal to a range; `nil` if there is none.
  ///
  /// An IPv6 range is an IPv6 network, even if it includes the IPv4-mapped addresses.
  public init?(_ range: AddressRange) {
    let hostBits = range.lastOffset
    guard hostBits & (hostBits &+ 1) == 0, range.first.number & hostBits == 0 else { return nil }
    address = range.first
    length = hostBits.leadingZeroBitCount - (range.first.isIPv4 ? 96 : 0)
  }

  /// The size of the longest text in bytes.
  static let textCapacity = Address.textCapacity + 4

  /// Appends `ADDRESS/LENGTH`, even for a single address.
  public func append(to output: inout [UInt8]) {
    output.append(addingCapacity: Self.textCapacity) { append(to: &$0) }
  }

  /// Appends `ADDRESS/LENGTH`; the longest text must fit.
  func append(to output: inout OutputSpan<UInt8>) {
    address.append(to: &output)
    output.append(UInt8(ascii: "/"))
    if length >= 100 { output.append(UInt8(ascii: "1")) }
    if length >= 10 { output.append(UInt8(ascii: "0") + UInt8(length / 10 % 10)) }
    output.append(UInt8(ascii: "0") + UInt8(length % 10))
  }
}

extension Prefix {
  /// The largest networks that make up this one without those of a table.
  public func parts(outside table: NetworkTable) -> [Prefix] {
    guard table.overlaps(self) else { return [self] }
    if let match = table.match(address), match.prefix.length <= length { return [] }
    let bits = address.isIPv4 ? 32 : 128
    guard length < bits else { return [] }
    let upper = Address(number: address.number | 1 << UInt128(bits - 1 - length))
    // The mapped half of an IPv6 network belongs to the other family.
    let halves = [address, upper].filter { $0.isIPv4 == address.isIPv4 }
    return halves.flatMap { Prefix(holding: $0, length: length + 1).parts(outside: table) }
  }
}

extension Prefix: CustomStringConvertible {
  /// `ADDRESS/LENGTH`.
  public var description: String { "\(address)/\(length)" }
}
