/// A row of the IANA special-purpose registries.
struct SpecialPurposeRow: Sendable {
  /// A value of the column "Globally Reachable".
  enum Reachability: Sendable {
    case yes, no
    /// `N/A`, or empty for an allocation that has ended.
    case unsaid
  }

  let prefix: String
  let name: String
  let rfc: String
  let isGloballyReachable: Reachability
}

extension SpecialPurposeRow {
  /// The IANA IPv4 special-purpose address registry as of October 2025:
  /// <https://www.iana.org/assignments/iana-ipv4-special-registry>, with multicast.
  static let ipv4: [SpecialPurposeRow] = [
    row("0.0.0.0/8", "This network", "RFC 791", .no),
    row("0.0.0.0/32", "This host on this network", "RFC 1122", .no),
    row("10.0.0.0/8", "Private-Use", "RFC 1918", .no),
    row("100.64.0.0/10", "Shared Address Space", "RFC 6598", .no),
    row("127.0.0.0/8", "Loopback", "RFC 1122", .no),
    row("169.254.0.0/16", "Link Local", "RFC 3927", .no),
    row("172.16.0.0/12", "Private-Use", "RFC 1918", .no),
    row("192.0.0.0/24", "IETF Protocol Assignments", "RFC 6890", .no),
    row("192.0.0.0/29", "IPv4 Service Continuity Prefix", "RFC 7335", .no),
    row("192.0.0.8/32", "IPv4 dummy address", "RFC 7600", .no),
    row("192.0.0.9/32", "Port Control Protocol Anycast", "RFC 7723", .yes),
    row("192.0.0.10/32", "Traversal Using Relays around NAT Anycast", "RFC 8155", .yes),
    row("192.0.0.170/32", "NAT64/DNS64 Discovery", "RFC 8880", .no),
    row("192.0.0.171/32", "NAT64/DNS64 Discovery", "RFC 8880", .no),
    row("192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737", .no),
    row("192.31.196.0/24", "AS112-v4", "RFC 7535", .yes),
    row("192.52.193.0/24", "AMT", "RFC 7450", .yes),
    row("192.88.99.0/24", "Deprecated (6to4 Relay Anycast)", "RFC 7526", .unsaid),
    row("192.88.99.2/32", "6a44-relay anycast address", "RFC 6751", .no),
    row("192.168.0.0/16", "Private-Use", "RFC 1918", .no),
    row("192.175.48.0/24", "Direct Delegation AS112 Service", "RFC 7534", .yes),
    row("198.18.0.0/15", "Benchmarking", "RFC 2544", .no),
    row("198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737", .no),
    row("203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737", .no),
    row("240.0.0.0/4", "Reserved", "RFC 1112", .no),
    row("255.255.255.255/32", "Limited Broadcast", "RFC 919", .no),
    // Not in this registry, but not hosts either.
    row("224.0.0.0/4", "Multicast", "RFC 5771", .no),
  ]

  /// The IANA IPv6 special-purpose address registry as of October 2025:
  /// <https://www.iana.org/assignments/iana-ipv6-special-registry>, with multicast and site-local.
  ///
  /// `::ffff:0:0/96` is omitted, because mapped addresses are treated as IPv4 addresses.
  static let ipv6: [SpecialPurposeRow] = [
    row("::1/128", "Loopback Address", "RFC 4291", .no),
    row("::/128", "Unspecified Address", "RFC 4291", .no),
    row("64:ff9b::/96", "IPv4-IPv6 Translation", "RFC 6052", .yes),
    row("64:ff9b:1::/48", "IPv4-IPv6 Translation", "RFC 8215", .no),
    row("100::/64", "Discard-Only Address Block", "RFC 6666", .no),
    row("100:0:0:1::/64", "Dummy IPv6 Prefix", "RFC 9780", .no),
    row("2001::/23", "IETF Protocol Assignments", "RFC 2928", .no),
    row("2001::/32", "TEREDO", "RFC 4380", .unsaid),
    row("2001:1::1/128", "Port Control Protocol Anycast", "RFC 7723", .yes),
    row("2001:1::2/128", "Traversal Using Relays around NAT Anycast", "RFC 8155", .yes),
    row("2001:1::3/128", "DNS-SD Service Registration Protocol Anycast", "RFC 9665", .yes),
    row("2001:2::/48", "Benchmarking", "RFC 5180", .no),
    row("2001:3::/32", "AMT", "RFC 7450", .yes),
    row("2001:4:112::/48", "AS112-v6", "RFC 7535", .yes),
    row("2001:10::/28", "Deprecated (previously ORCHID)", "RFC 4843", .unsaid),
    row("2001:20::/28", "ORCHIDv2", "RFC 7343", .yes),
    row("2001:30::/28", "Drone Remote ID Protocol Entity Tags (DETs) Prefix", "RFC 9374", .yes),
    row("2001:db8::/32", "Documentation", "RFC 3849", .no),
    row("2002::/16", "6to4", "RFC 3056", .unsaid),
    row("2620:4f:8000::/48", "Direct Delegation AS112 Service", "RFC 7534", .yes),
    row("3fff::/20", "Documentation", "RFC 9637", .no),
    row("5f00::/16", "Segment Routing (SRv6) SIDs", "RFC 9602", .no),
    row("fc00::/7", "Unique-Local", "RFC 4193", .no),
    row("fe80::/10", "Link-Local Unicast", "RFC 4291", .no),
    // Not in this registry, but not hosts either.
    row("fec0::/10", "Site-Local Unicast (deprecated)", "RFC 3879", .no),
    row("ff00::/8", "Multicast", "RFC 4291", .no),
  ]

  private static func row(
    _ prefix: String,
    _ name: String,
    _ rfc: String,
    _ reachability: Reachability
  ) -> SpecialPurposeRow {
    SpecialPurposeRow(prefix: prefix, name: name, rfc: rfc, isGloballyReachable: reachability)
  }
}
