import TestSupport
import Testing

@testable import SondeAddresses

@Suite struct SpecialPurposeTests {
  /// Blocks that are reserved; the neighbours on both sides are given where they are not public.
  static let reserved: [(range: String, message: String)] = [
    ("0.0.0.0-0.0.0.0", "0.0.0.0/32 This host on this network (RFC 1122)"),
    ("0.0.0.1-0.255.255.255", "0.0.0.0/8 This network (RFC 791)"),
    ("10.0.0.0/8", "10.0.0.0/8 Private-Use (RFC 1918)"),
    ("100.64.0.0/10", "100.64.0.0/10 Shared Address Space (RFC 6598)"),
    ("127.0.0.0/8", "127.0.0.0/8 Loopback (RFC 1122)"),
    ("169.254.0.0/16", "169.254.0.0/16 Link Local (RFC 3927)"),
    ("172.16.0.0/12", "172.16.0.0/12 Private-Use (RFC 1918)"),
    ("192.0.0.0/29", "192.0.0.0/29 IPv4 Service Continuity Prefix (RFC 7335)"),
    ("192.0.0.8/32", "192.0.0.8/32 IPv4 dummy address (RFC 7600)"),
    ("192.0.0.11-192.0.0.169", "192.0.0.0/24 IETF Protocol Assignments (RFC 6890)"),
    ("192.0.0.170/32", "192.0.0.170/32 NAT64/DNS64 Discovery (RFC 8880)"),
    ("192.0.0.171/32", "192.0.0.171/32 NAT64/DNS64 Discovery (RFC 8880)"),
    ("192.0.0.172-192.0.0.255", "192.0.0.0/24 IETF Protocol Assignments (RFC 6890)"),
    ("192.0.2.0/24", "192.0.2.0/24 Documentation (TEST-NET-1) (RFC 5737)"),
    ("192.88.99.2/32", "192.88.99.2/32 6a44-relay anycast address (RFC 6751)"),
    ("192.168.0.0/16", "192.168.0.0/16 Private-Use (RFC 1918)"),
    ("198.18.0.0/15", "198.18.0.0/15 Benchmarking (RFC 2544)"),
    ("198.51.100.0/24", "198.51.100.0/24 Documentation (TEST-NET-2) (RFC 5737)"),
    ("203.0.113.0/24", "203.0.113.0/24 Documentation (TEST-NET-3) (RFC 5737)"),
    ("224.0.0.0/4", "224.0.0.0/4 Multicast (RFC 5771)"),
    ("240.0.0.0-255.255.255.254", "240.0.0.0/4 Reserved (RFC 1112)"),
    ("255.255.255.255/32", "255.255.255.255/32 Limited Broadcast (RFC 919)"),
    ("::/128", "::/128 Unspecified Address (RFC 4291)"),
    ("::1/128", "::1/128 Loopback Address (RFC 4291)"),
    ("64:ff9b:1::/48", "64:ff9b:1::/48 IPv4-IPv6 Translation (RFC 8215)"),
    ("100::/64", "100::/64 Discard-Only Address Block (RFC 6666)"),
    ("100:0:0:1::/64", "100:0:0:1::/64 Dummy IPv6 Prefix (RFC 9780)"),
    ("2001:1::/128", "2001::/23 IETF Protocol Assignments (RFC 2928)"),
    (
      "2001:1::4-2001:1:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001::/23 IETF Protocol Assignments (RFC 2928)"
    ),
    ("2001:2::/48", "2001:2::/48 Benchmarking (RFC 5180)"),
    (
      "2001:2:1::-2001:2:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001::/23 IETF Protocol Assignments (RFC 2928)"
    ),
    (
      "2001:4::-2001:4:111:ffff:ffff:ffff:ffff:ffff",
      "2001::/23 IETF Protocol Assignments (RFC 2928)"
    ),
    (
      "2001:4:113::-2001:f:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001::/23 IETF Protocol Assignments (RFC 2928)"
    ),
    (
      "2001:40::-2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001::/23 IETF Protocol Assignments (RFC 2928)"
    ),
    ("2001:db8::/32", "2001:db8::/32 Documentation (RFC 3849)"),
    ("3fff::/20", "3fff::/20 Documentation (RFC 9637)"),
    ("5f00::/16", "5f00::/16 Segment Routing (SRv6) SIDs (RFC 9602)"),
    ("fc00::/7", "fc00::/7 Unique-Local (RFC 4193)"),
    ("fe80::/10", "fe80::/10 Link-Local Unicast (RFC 4291)"),
    ("fec0::/10", "fec0::/10 Site-Local Unicast (deprecated) (RFC 3879)"),
    ("ff00::/8", "ff00::/8 Multicast (RFC 4291)"),
    ("::ffff:10.0.0.0/104", "10.0.0.0/8 Private-Use (RFC 1918)"),
  ]

  /// What the registries call reachable, or say nothing of, and the neighbours of what they do not.
  static let asked = [
    "1.0.0.0-9.255.255.255", "11.0.0.0-100.63.255.255", "100.128.0.0-126.255.255.255",
    "128.0.0.0-169.253.255.255", "169.255.0.0-172.15.255.255", "172.32.0.0-191.255.255.255",
    "192.0.0.9-192.0.0.10", "192.0.1.0/24", "192.0.3.0/24", "192.31.196.0/24", "192.52.193.0/24",
    "192.88.98.0-192.88.99.1", "192.88.99.3-192.167.255.255", "192.169.0.0-198.17.255.255",
    "192.175.48.0/24", "198.20.0.0-198.51.99.255", "198.51.101.0-203.0.112.255",
    "203.0.114.0-223.255.255.255", "::2-::fffe:ffff:ffff", "::1:0:0:0-64:ff9a:ffff:ffff::",
    "64:ff9b::/96", "64:ff9b:0:0:0:1::-64:ff9b:0:ffff:ffff:ffff:ffff:ffff",
    "64:ff9b:2::-ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "100:0:0:2::-1fff::", "2000::-2000:ffff::",
    "2001::/32", "2001:1::1-2001:1::3", "2001:3::/32", "2001:4:112::/48", "2001:10::/28",
    "2001:20::/28", "2001:30::/28", "2001:200::-2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::-2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::/16", "2003::-3ffe:ffff::",
    "2620:4f:8000::/48", "3fff:1000::-5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "5f01::-fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe00::-fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  ]

  /// The first, the last and some addresses between them.
  private static func samples(_ text: String) throws -> [Address] {
    guard case .range(let range) = ListItem.parse(line: text.utf8Span.span) else {
      throw NoRange(text: text)
    }
    return (0...8).map { range[range.lastOffset / 8 * $0] } + [range.last]
  }

  private struct NoRange: Error { let text: String }

  @Test func `an address that is not globally reachable names its block`() throws {
    var wrong: [String] = []
    for (range, message) in Self.reserved {
      for address in try Self.samples(range) where address.specialPurpose?.message != message {
        wrong.append("\(address): \(address.specialPurpose?.message ?? "none"), not \(message)")
      }
    }
    #expect(wrong == [])
  }

  @Test func `any other address is to be asked about`() throws {
    var wrong: [String] = []
    for range in Self.asked {
      for address in try Self.samples(range) {
        if let block = address.specialPurpose { wrong.append("\(address): \(block.message)") }
      }
    }
    #expect(wrong == [])
  }

  @Test func `every row of the registries is read`() {
    #expect(SpecialPurposeBlock.ipv4.count == SpecialPurposeRow.ipv4.count)
    #expect(SpecialPurposeBlock.ipv6.count == SpecialPurposeRow.ipv6.count)
  }

  @Test func `the quick look agrees with the tables`() {
    var generator = SeededGenerator(seed: 2)
    var wrong: [Address] = []
    for octet in UInt32(0)...255 {
      for _ in 0..<40 {
        let tail = UInt32(truncatingIfNeeded: generator.next()) >> 8
        let address = Address(ipv4: octet << 24 | tail)
        let entry = SpecialPurposeBlock.ipv4.first { $0.range.contains(address) }
        if address.specialPurpose != entry?.block { wrong.append(address) }
      }
    }
    for group in UInt64(0)...0xffff {
      let address = Address(high: group << 48 | generator.next() >> 40, low: generator.next())
      guard !address.isIPv4 else { continue }
      let entry = SpecialPurposeBlock.ipv6.first { $0.range.contains(address) }
      if address.specialPurpose != entry?.block { wrong.append(address) }
    }
    #expect(wrong == [])
  }
}
