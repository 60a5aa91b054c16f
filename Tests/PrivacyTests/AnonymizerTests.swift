import SondeAddresses
import SondePrivacy
import Testing

@Suite struct AnonymizerTests {
  private let anonymizer: Anonymizer

  init() throws { anonymizer = try Anonymizer(.truncation(Truncation())) }

  @Test(arguments: [
    ("8.8.8.8", "8.8.8.0"), ("::ffff:8.8.8.8", "8.8.8.0"),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
    // 6to4 holds an IPv4 address in bits 16 to 48.
    ("2002:808:808:1::1", "2002:808:800::"),
  ])
  func `the first bits of an address stay`(text: String, truncated: String) throws {
    let address = try #require(Address(text))
    #expect("\(anonymizer(address))" == truncated)
  }

  @Test(arguments: [(0, 0), (32, 128), (7, 33)])
  func `as many bits stay as the rule says`(ipv4: Int, ipv6: Int) throws {
    let anonymizer = try Anonymizer(.truncation(Truncation(ipv4: ipv4, ipv6: ipv6)))
    let (short, long) = (Address(ipv4: .max), Address(high: 0x3fff_ffff_ffff_ffff, low: .max))
    #expect(anonymizer(short).ipv4 == (ipv4 == 0 ? 0 : .max << UInt32(32 - ipv4)))
    let mask: UInt128 = ipv6 == 0 ? 0 : .max << UInt128(128 - ipv6)
    #expect(anonymizer(long).number == long.number & mask)
  }

  @Test(arguments: [
    ("from 8.8.8.8:53 and x8.8.8.8", "from 8.8.8.0:53 and x8.8.8.8"),
    ("[2001:db8:1:2::3]:443", "[2001:db8:1::]:443"), ("fe80::1%eth0 is local", "fe80:: is local"),
    ("8.8.8.8", "8.8.8.0"), ("", ""), ("none", "none"),
  ])
  func `addresses in text are replaced, without zones`(text: String, replaced: String) {
    #expect(anonymizer.text(text) == replaced)
  }

  @Test(arguments: [
    ("8.8.8.0/25", "8.8.8.0/24"), ("8.8.0.0/16", "8.8.0.0/16"), ("8.8.8.8", "8.8.8.0"),
    ("8.8.8.8/x", "8.8.8.0/x"), ("0.0.0.0/0", "0.0.0.0/0"),
  ])
  func `a network is no longer than what stays`(text: String, replaced: String) throws {
    let address = try #require(Address("8.8.8.8"))
    let bytes = anonymizer.network(Array(text.utf8).span, holding: address)
    #expect(String(decoding: bytes, as: UTF8.self) == replaced)
  }

  @Test func `a network holds the pseudonym of its address`() throws {
    let key = try PseudonymVector.all[4].parsedKey()
    let anonymizer = try Anonymizer(.pseudonyms(key))
    let address = try #require(Address("10.0.0.47"))
    let bytes = anonymizer.network(Array("10.0.0.0/24".utf8).span, holding: address)
    #expect(String(decoding: bytes, as: UTF8.self) == "19.214.210.0/24")
  }
}
