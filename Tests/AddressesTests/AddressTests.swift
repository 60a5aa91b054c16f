import TestSupport
import Testing

@testable import SondeAddresses

@Suite struct AddressTests {
  /// Texts with the canonical text of their address.
  static let accepted: [(text: String, canonical: String)] = [
    ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("8.8.8.8", "8.8.8.8"),
    ("1.10.100.200", "1.10.100.200"), ("192.168.0.1", "192.168.0.1"),
    // RFC 5952 §4.1: no leading zeros.
    ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
    // §4.2.1: as short as possible. §4.2.2: not for one group. §4.2.3: the longest, or the first.
    ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    // §4.3: lower case.
    ("2001:DB8::AAAA", "2001:db8::aaaa"),
    ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("1::8", "1::8"),
    ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("0:0:0:0:0:0:0:0", "::"),
    ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("1:0:0:2::", "1:0:0:2::"), ("0:0:1::", "0:0:1::"), ("1:2:3:4:5:6::8", "1:2:3:4:5:6:0:8"),
    // The dotted tail is read, and written for no address but an IPv4 one.
    ("::1.2.3.4", "::102:304"), ("64:ff9b::8.8.8.8", "64:ff9b::808:808"),
    ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("1:2:3:4:5::1.2.3.4", "1:2:3:4:5:0:102:304"),
    ("::ffff:8.8.8.8", "8.8.8.8"), ("::FFFF:808:808", "8.8.8.8"),
    ("0:0:0:0:0:ffff:0:0", "0.0.0.0"), ("::ffff:0:8.8.8.8", "::ffff:0:808:808"),
  ]

  static let refused = [
    "", " ", "8", "8.8", "8.8.8", "8.8.8.8.8", "8.8.8.8.", ".8.8.8.8", "8..8.8", "8.8.8.256",
    "8.8.8.1000", "08.8.8.8", "8.8.8.00", "+8.8.8.8", "8.8.8.-8", " 8.8.8.8", "8.8.8.8 ",
    "8.8.8.8\n", "0x8.8.8.8", "8.8.8.8/32", "8,8,8,8", "a.b.c.d", "8.8.8.8\0", "\u{ff18}.8.8.8",
    ":", ":::", "::::", "1", "1:", ":1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
    "1::2::3", "1:::2", "12345::", "::12345", "::g", "::-1", "::1%", "::1%eth0", "fe80::1%eth0",
    "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4", "1.2.3.4::", "::1.2.3.4:5",
    "1:2:3:4:5:6:7:1.2.3.4", "1:1.2.3.4", "[::1]", "::1/128", "1.2.3.4:", ":1.2.3.4",
    "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2555",
  ]

  @Test func `every accepted form gives its canonical text`() {
    let wrong = Self.accepted.filter { Address($0.text)?.description != $0.canonical }
    #expect(wrong.map(\.text) == [])
  }

  @Test func `anything else is refused`() {
    #expect(Self.refused.filter { Address($0) != nil } == [])
  }

  @Test func `the canonical text reads back as the same address`() {
    var generator = SeededGenerator(seed: 1)
    var wrong: [Address] = []
    for _ in 0..<20_000 {
      // Sparse groups, so that runs of zeros of every length appear.
      let mask = generator.next() & generator.next()
      var (high, low) = (UInt64(0), UInt64(0))
      for group in 0..<4 {
        if mask >> UInt64(group) & 1 != 0 {
          high |= (generator.next() & 0xffff) << UInt64(16 * group)
        }
        if mask >> UInt64(group + 8) & 1 != 0 {
          low |= (generator.next() & 0xffff) << UInt64(16 * group)
        }
      }
      for address in [
        Address(high: high, low: low), Address(ipv4: UInt32(truncatingIfNeeded: low)),
      ]
      where Address(address.description) != address {
        wrong.append(address)
      }
    }
    #expect(wrong == [])
  }

  @Test func `text is appended after what is there`() {
    var output = Array("ip=".utf8)
    Address(ipv4: 0x0808_0404).append(to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "ip=8.8.4.4")
  }

  @Test func `the number is the address in network order`() {
    let address = Address(high: 0x2001_0db8_0000_0000, low: 1)
    #expect(address.number == 0x2001_0db8_0000_0000_0000_0000_0000_0001)
    #expect(Address(number: address.number) == address)
  }
}
