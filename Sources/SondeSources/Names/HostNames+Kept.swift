import SondeAddresses
import SondeNames
import SondeReachability
import SondeRecords
import SondeStore

extension HostNames {
  /// The separator of stored names, which contain only visible characters.
  private static let separator = UInt8(ascii: "\n")

  /// The stored form of an address's names: the status and the names, one per line; `nil` if
  /// nothing is known.
  ///
  /// Behind the status is the number of confirmed names if there are several.
  func kept(of address: Address) -> KeptText? {
    let status = self.status.rawValue + (confirmedCount > 1 ? " \(confirmedCount)" : "")
    let text = Array(([status] + names).joined(separator: "\n").utf8)
    return lifetime.map { KeptText(key: address.keptKey, text: text, lifetime: $0) }
  }

  /// Parses the stored form; `nil` if it is damaged.
  init?(kept text: [UInt8]) {
    let lines = text.split(separator: Self.separator).map { String(decoding: $0, as: UTF8.self) }
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard let status = words.first.flatMap({ Status(rawValue: String($0)) }),
      status != .networkLost, words.count <= 2, let count = words.count == 2 ? Int(words[1]) : 1,
      count > 0
    else { return nil }
    let names = lines.dropFirst().map(\.withoutControls)
    self.init(names: names, status: status, confirmed: count, lifetime: nil)
  }

  /// The result after a loss of the network, with names found before.
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
  /// Converts the finding of a question about the path to a resolver.
  init(_ finding: ResolverFinding) {
    switch finding {
    case .answered: self = .answered
    // A closed port is not a resolver, so it counts as unreachable until there is one.
    case .silent, .unreachable: self = .timedOut
    }
  }
}

extension Address {
  /// The blocks for use inside networks, whose own resolvers may know the addresses.
  private static let privateNames: Set = [
    "Private-Use", "Shared Address Space", "Loopback", "Loopback Address", "Link Local",
    "Link-Local Unicast", "Unique-Local", "Site-Local Unicast (deprecated)",
  ]

  /// Whether it is for use inside networks only (RFC 1918, RFC 4193 and similar).
  var isPrivate: Bool { specialPurpose.map { Self.privateNames.contains($0.name) } ?? false }
}
