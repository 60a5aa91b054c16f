import SondeAddresses
import SondeNames
import SondeReachability
import SondeRecords
import SondeStore

extension HostNames {
  /// What stands between names that are kept, and in none: visible characters only are in a name.
  private static let separator = UInt8(ascii: "\n")

  /// What is kept of an address: the status and the names, a line each; `nil` where nothing is known.
  func kept(of address: Address) -> KeptText? {
    let text = Array(([status.rawValue] + names).joined(separator: "\n").utf8)
    return lifetime.map { KeptText(key: address.keptKey, text: text, lifetime: $0) }
  }

  /// Reads what was kept; `nil` where it is not as it was written.
  init?(kept text: [UInt8]) {
    let lines = text.split(separator: Self.separator).map { String(decoding: $0, as: UTF8.self) }
    guard let status = lines.first.flatMap({ Status(rawValue: $0) }), status != .networkLost else {
      return nil
    }
    let names = lines.dropFirst().map(\.withoutControls)
    self.init(names: names, status: status, lifetime: nil)
  }

  /// That the network is lost, with the names that were found before.
  static func lost(_ reason: String, known names: [String]) -> HostNames {
    HostNames(names: names, status: .networkLost, lifetime: nil, reason: reason)
  }
}

extension AddedStatus {
  init(_ status: HostNames.Status) {
    switch status {
    case .confirmed, .unconfirmed, .none: self = .named(status.rawValue)
    case .failed: self = .failed
    case .networkLost: self = .networkLost
    }
  }
}

extension Finding {
  /// What a question to a resolver tells of the path to it.
  init(_ finding: ResolverFinding) {
    switch finding {
    case .answered: self = .answered
    // A port that is closed is no resolver: nothing is to be had there until there is one.
    case .silent, .unreachable: self = .timedOut
    }
  }
}

extension Address {
  /// The blocks whose addresses are in use inside networks, of which their own resolvers may know.
  private static let privateNames: Set = [
    "Private-Use", "Shared Address Space", "Loopback", "Loopback Address", "Link Local",
    "Link-Local Unicast", "Unique-Local", "Site-Local Unicast (deprecated)",
  ]

  /// Whether it is in use inside networks only (RFC 1918, RFC 4193 and their kin).
  package var isPrivate: Bool {
    specialPurpose.map { Self.privateNames.contains($0.name) } ?? false
  }
}
