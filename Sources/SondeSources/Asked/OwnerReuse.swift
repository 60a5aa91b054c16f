import SondeAddresses
import SondeTables

/// The addresses to which an answer applies, besides the one that was asked about.
///
/// An address in the network of an answer may belong to a smaller network inside it: 8.8.8.8's /24
/// is inside a /9 (secynic/ipwhois #250).
public enum OwnerReuse: String, Sendable, CaseIterable {
  /// Addresses of the network in the same /24, or IPv6 /48.
  case block = "24"
  /// All addresses of the network.
  case range
  /// None.
  case none

  /// The block within which an answer about one address may be applied to another.
  func block(of address: Address) -> Prefix {
    switch self {
    case .none: Prefix(holding: address, length: address.isIPv4 ? 32 : 128)
    case .block, .range: Prefix(holding: address, length: address.isIPv4 ? 24 : 48)
    }
  }

  /// The block in which addresses are asked about one at a time, in their order.
  func lane(of address: Address) -> Prefix {
    switch self {
    case .none, .block: block(of: address)
    // Almost no network is larger.
    case .range: Prefix(holding: address, length: address.isIPv4 ? 8 : 16)
    }
  }
}
