import SondeAddresses
import SondeRecords

/// The form of a range's network, as one byte.
///
/// Up to 128 it is the prefix length; for an IPv4 address in a block wider than all of IPv4, the
/// network is shown as in the tree, `::/64`, with values from 129.
struct NetworkForm: Equatable {
  let byte: UInt8

  init(byte: UInt8) { self.byte = byte }

  init(length: Int) { byte = UInt8(length) }

  /// The block of an IPv4 address in an IPv6 tree, shorter than 96 bits.
  init(wideLength: Int) { byte = UInt8(129 + wideLength) }
}

extension [UInt8] {
  /// Appends the network of an address in the form of its range.
  mutating func append(networkOf address: Address, as form: NetworkForm) -> TextRange {
    guard form.byte > 128 else { return append(networkOf: address, length: Int(form.byte)) }
    let number = address.low & UInt64(UInt32.max)
    return append(networkOf: Address(high: 0, low: number), length: Int(form.byte) - 129)
  }
}
