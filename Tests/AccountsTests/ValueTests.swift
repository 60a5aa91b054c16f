import Testing

@testable import SondeAccounts

@Suite struct EmailTests {
  @Test(arguments: [
    ("a@b", "a@b"),
    ("  Jane.Doe@Example.ORG \n", "jane.doe@example.org"),
    ("\u{a0}a@b.c\t", "a@b.c"),
    ("o'brien+list@mail.example.com", "o'brien+list@mail.example.com"),
    ("..@x--y.z", "..@x--y.z"),
    ("1@1.1", "1@1.1"),
  ])
  func `is trimmed and in lower case`(typed: String, text: String) {
    #expect(Email(typed)?.text == text)
  }

  @Test func `is refused where it can be nobody's`() {
    let long = String(repeating: "a", count: 64)
    let refused = [
      "", " ", "@", "a", "a@", "@b", "a@b@c", "a b@c.d", "a@b c", "a@.b", "a@b.", "a@b..c", "a@-b",
      "a@b-", "a@b_c", "a@[127.0.0.1]", "\"a\"@b", "a,b@c", "a;b@c", "<a@b>", "a@b\n\nc", "a\0@b",
      "müller@example.org", "a@müller.de", "a\u{200b}@b", "a@b:25", "a@b/c", "a\\b@c", "a(b)@c",
      "\(long)a@b", "a@\(long)",
      "a@" + Array(repeating: "abcdefg", count: 32).joined(separator: "."),
    ]
    #expect(refused.filter { Email($0) != nil } == [])
    #expect(Email("\(long)@\(long.dropLast()).b") != nil)
  }
}

@Suite struct ClientAddressTests {
  private func ipv6(_ bytes: UInt8...) -> ClientAddress {
    ClientAddress(bytes + Array(repeating: 0, count: 15 - bytes.count) + [1])
  }

  @Test func `of IPv6 the first half tells, of IPv4 everything`() {
    #expect(ipv6(0x20, 1, 0xd, 0xb8, 0, 0, 0, 1) == ipv6(0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 2, 3))
    #expect(ipv6(0x20, 1, 0xd, 0xb8, 0, 0, 0, 1) != ipv6(0x20, 1, 0xd, 0xb8, 0, 0, 0, 2))
    #expect(ClientAddress.home != .elsewhere)
    #expect(ClientAddress([0, 0, 0, 0]) != ipv6(0))
  }

  @Test func `a mapped address is the one that it maps`() {
    let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff, 192, 0, 2, 1]
    #expect(ClientAddress(mapped) == .home)
  }

  @Test func `is read as it is written`() {
    #expect(ClientAddress(text: "192.0.2.1") == .home)
    #expect(ClientAddress(text: "::ffff:192.0.2.1") == .home)
    #expect(ClientAddress(text: "fe80::1%eth0") == ipv6(0xfe, 0x80))
    #expect(ClientAddress(text: "2001:db8::1") == ipv6(0x20, 1, 0xd, 0xb8))
    for text in ["", "x", "192.0.2", "192.0.2.1:80", "%", ":"] {
      #expect(ClientAddress(text: text) == ClientAddress([]))
    }
  }

  @Test func `whatever is no address is one`() {
    #expect(ClientAddress([]) == ClientAddress([1, 2, 3]))
    #expect(ClientAddress([]) != ClientAddress([0, 0, 0, 0]))
  }
}

@Suite struct SecretTests {
  @Test func `shows in no description, dump or error`() {
    let secret = Secret("correct horse")
    let issued = Issued(item: OneTimeLink(expiresAt: .zero), secret: secret)
    var text = "\(secret) \(String(reflecting: secret)) \(issued) \(String(reflecting: issued))"
    dump(issued, to: &text)
    dump(secret, to: &text)
    #expect(!text.contains("horse"))
    #expect(secret.text == "correct horse" && secret.count == 13)
    #expect(Secret("").text == "")
  }

  @Test func `is of 256 bits, and another each time`() {
    let texts = (0..<100).map { _ in Secret.random(prefix: "sonde_").text }
    #expect(Set(texts).count == 100)
    #expect(texts.allSatisfy { $0.wholeMatch(of: /sonde_[0-9a-f]{64}/) != nil })
  }

  @Test func `is known by its hash`() {
    #expect(Fingerprint(Secret("a")) == Fingerprint(Secret("a")))
    #expect(Fingerprint(Secret("a")) != Fingerprint(Secret("b")))
    #expect(Fingerprint(Secret("")).bytes.count == 32)
  }
}
