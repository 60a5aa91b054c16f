package import SondeAddresses
import SondeProviders
package import SondeTables

/// Whose network an address is in, as a registry says.
struct Owner: Sendable, Hashable {
  /// What came of asking.
  enum Outcome: Sendable, Hashable {
    /// The network that has the address.
    case found(Registration)
    /// No registry knows of one.
    case unknown
    /// There is no answer.
    case failed
    /// The same, since the network was lost.
    case networkLost
  }

  /// What came of asking.
  let outcome: Outcome

  /// Who answered; `nil` where nobody did.
  let registry: Registry?

  /// What the registry says of the network.
  var registration: Registration? {
    if case .found(let registration) = outcome { registration } else { nil }
  }

  /// Whether it says something of the address, be it that there is no network.
  var isAnswer: Bool {
    switch outcome {
    case .found, .unknown: true
    case .failed, .networkLost: false
    }
  }
}

/// For which addresses besides the one that was asked about an answer holds.
///
/// That an address is in the network of an answer does not make it its own: networks lie within one
/// another, and 8.8.8.8's /24 lies within a /9 (secynic/ipwhois #250).
public enum OwnerReuse: String, Sendable, CaseIterable {
  /// Those in the network that are also in the same /24, or of IPv6 in the same /48.
  case block = "24"
  /// Those in the network.
  case range
  /// None.
  case none

  /// The addresses among which an answer to one may hold for another, as far as that is looked for.
  package func block(of address: Address) -> Prefix {
    switch self {
    case .none: Prefix(holding: address, length: address.isIPv4 ? 32 : 128)
    case .block, .range: Prefix(holding: address, length: address.isIPv4 ? 24 : 48)
    }
  }

  /// The addresses of which only one is asked about at a time, the earlier one first.
  func lane(of address: Address) -> Prefix {
    switch self {
    case .none, .block: block(of: address)
    // Hardly any network is larger.
    case .range: Prefix(holding: address, length: address.isIPv4 ? 8 : 16)
    }
  }
}
