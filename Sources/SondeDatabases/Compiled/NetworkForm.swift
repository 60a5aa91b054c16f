import SondeAddresses
import SondeRecords

/// How the network of a range is told, as one byte.
///
/// Up to 128 it is the prefix length; an IPv4 address whose block is wider than all of IPv4 is shown
/// as it lies in the tree, `::/64`, which is 129 and more.
struct NetworkForm: Equatable {
  let byte: UInt8

  init(byte: UInt8) { self.byte = byte }

  /// The block of a prefix length.
  init(length: Int) { byte = UInt8(length) }

  /// The block of an IPv4 address in a tree of IPv6 ones, fewer than 96 bits long.
  init(wideLength: Int) { byte = UInt8(129 + wideLength) }
}

extension [UInt8] {
  /// Adds the text of the network that holds an address, in the form that its range says.
  mutating func append(networkOf address: Address, as form: NetworkForm) -> TextRange {
    guard form.byte > 128 else { return append(networkOf: address, length: Int(form.byte)) }
    let number = address.low & UInt64(UInt32.max)
    return append(networkOf: Address(high: 0, low: number), length: Int(form.byte) - 129)
  }
}
