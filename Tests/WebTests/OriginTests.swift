import Testing

@testable import SondeWeb

@Suite struct AuthorityTests {
  @Test(arguments: [
    ("127.0.0.1:8053", "127.0.0.1:8053"), ("LocalHost", "localhost"), ("[::1]:80", "[::1]:80"),
    ("example.org:", "example.org"), ("a_b-c.example", "a_b-c.example"),
  ])
  func `an authority is read`(text: String, expected: String) {
    #expect(Authority(text)?.description == expected)
  }

  @Test(arguments: [
    "", ":80", "user@host", "host:80:90", "host:x", "host:-1", "host:65536", "[::1", "[host]",
    "a b",
    "host/path", "[::1]x", "ho%73t", "höst", "host:+80", "[127.0.0.1]",
  ])
  func `anything else is none`(text: String) { #expect(Authority(text) == nil) }
}

@Suite struct PublicURLTests {
  @Test(arguments: [
    ("https://example.org", "https://example.org/"),
    ("HTTPS://Example.org:443/sonde", "https://example.org/sonde/"),
    ("http://[::1]:8080/a/b/", "http://[::1]:8080/a/b/"),
  ])
  func `a public URL is read`(text: String, expected: String) {
    #expect(PublicURL(text)?.description == expected)
  }

  @Test(arguments: [
    "", "example.org", "ftp://example.org", "https://", "https://user@example.org",
    "https://example.org/?a", "https://example.org/#a", "https://example.org/a/../b",
    "https://example.org/a//b", "https://example.org/%41", "https://example.org:0/",
  ])
  func `anything else is none`(text: String) { #expect(PublicURL(text) == nil) }
}

@Suite struct OriginRulesTests {
  private let alone = OriginRules(
    listening: Authority(host: "127.83.1.1", port: 8053),
    publicURL: nil
  )
  private let proxied = OriginRules(
    listening: Authority(host: "127.83.1.1", port: 8053),
    publicURL: PublicURL("https://example.org/sonde/")
  )

  private func isRefused(
    _ rules: OriginRules,
    _ method: Method? = .post,
    host: String? = "127.83.1.1:8053",
    origin: String? = nil,
    site: String? = nil,
    mode: String? = nil,
    destination: String? = nil,
    isView: Bool = false
  ) -> Bool {
    let question = OriginRules.Question(
      method: method,
      host: host,
      origin: origin,
      site: site,
      mode: mode,
      destination: destination,
      isView: isView
    )
    return rules.refusal(of: question) != nil
  }

  @Test(arguments: [
    "127.83.1.1:8053", "localhost:8053", "LOCALHOST:8053", "127.0.0.1:8053", "[::1]:8053",
  ])
  func `a name of this server is allowed`(host: String) { #expect(!isRefused(alone, host: host)) }

  @Test(arguments: [
    nil, "", "example.org", "example.org:8053", "127.83.1.1", "127.83.1.1:80", "localhost",
    "localhost.example.org:8053", "10.0.0.1:8053", "127.1:8053", "0.0.0.0:8053", "[::2]:8053",
    "127.83.1.1:8053, localhost:8053",
  ])
  func `any other name is refused`(host: String?) { #expect(isRefused(alone, host: host)) }

  @Test func `the public name is allowed with the port of its scheme or without`() {
    #expect(!isRefused(proxied, host: "example.org"))
    #expect(!isRefused(proxied, host: "example.org:443"))
    #expect(!isRefused(proxied, host: "127.83.1.1:8053"))
    #expect(isRefused(proxied, host: "example.org:80"))
    #expect(isRefused(alone, host: "example.org"))
  }

  @Test(arguments: [
    "null", "http://127.83.1.1:8054", "https://127.83.1.1:8053", "http://localhost:8053", "",
    "http://evil.example", "http://127.83.1.1:8053.evil.example", "http://127.83.1.1:8053, null",
  ])
  func `a foreign origin may change nothing`(origin: String) {
    #expect(isRefused(alone, .post, origin: origin))
    #expect(isRefused(alone, .delete, origin: origin))
    #expect(isRefused(alone, nil, origin: origin))
    #expect(!isRefused(alone, .get, origin: origin))
  }

  @Test func `the own origin may, and so may a script that names none`() {
    #expect(!isRefused(alone, origin: "http://127.83.1.1:8053"))
    #expect(!isRefused(alone, host: "localhost:8053", origin: "http://localhost:8053"))
    #expect(!isRefused(alone))
    // A proxy may pass the public name on, or name this server.
    #expect(!isRefused(proxied, host: "example.org", origin: "https://example.org"))
    #expect(!isRefused(proxied, origin: "https://example.org"))
    #expect(isRefused(proxied, host: "example.org", origin: "http://example.org"))
  }

  @Test(arguments: ["cross-site", "same-site", "anything", ""])
  func `a page of another site may not even read`(site: String) {
    #expect(isRefused(alone, .get, site: site))
    #expect(isRefused(alone, .get, site: site, mode: "navigate", destination: "document"))
    #expect(isRefused(alone, .get, site: site, mode: "no-cors", destination: "image", isView: true))
    #expect(
      isRefused(alone, .get, site: site, mode: "navigate", destination: "iframe", isView: true)
    )
    #expect(
      isRefused(alone, .post, site: site, mode: "navigate", destination: "document", isView: true)
    )
    let isFollowed = !isRefused(
      alone,
      .get,
      site: site,
      mode: "navigate",
      destination: "document",
      isView: true
    )
    #expect(isFollowed, "a link to a view")
  }

  @Test(arguments: ["same-origin", "none"])
  func `the own page and the user may`(site: String) { #expect(!isRefused(alone, site: site)) }
}

@Suite struct ForwardedForTests {
  private let rules = ForwardedFor(proxies: ["10.0.0.0/8", "::1"].compactMap(PeerNetwork.init))

  private func client(_ peer: String, _ fields: String...) throws -> String {
    rules.client(of: try #require(NumericAddress(peer)), fields: fields).description
  }

  @Test func `a peer that is no proxy is the client, whatever it says`() throws {
    #expect(try client("192.0.2.1", "198.51.100.7") == "192.0.2.1")
  }

  @Test func `the list is read from its right end as long as proxies wrote it`() throws {
    #expect(try client("10.1.2.3", "198.51.100.7") == "198.51.100.7")
    #expect(try client("10.1.2.3", "203.0.113.9, 198.51.100.7") == "198.51.100.7")
    #expect(try client("10.1.2.3", "203.0.113.9, 198.51.100.7, 10.9.9.9") == "198.51.100.7")
    #expect(try client("::1", "203.0.113.9", "2001:db8::7") == "2001:db8::7")
    #expect(try client("10.1.2.3", "10.9.9.9") == "10.9.9.9")
  }

  @Test func `what is no address ends the list`() throws {
    #expect(try client("10.1.2.3") == "10.1.2.3")
    #expect(try client("10.1.2.3", "unknown") == "10.1.2.3")
    #expect(try client("10.1.2.3", "198.51.100.7, <script>") == "10.1.2.3")
    #expect(try client("10.1.2.3", "198.51.100.7, 10.0.0.300, 10.9.9.9") == "10.9.9.9")
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false), ("::/0", "1.2.3.4", true),
    ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1/31", "192.0.2.0", true),
    ("2001:db8::1/128", "2001:db8::", false), ("2001:db8::/64", "2001:db8::ffff:0:0:1", true),
  ])
  func `a network holds its addresses`(network: String, address: String, isIn: Bool) throws {
    let address = try #require(NumericAddress(address))
    #expect(try #require(PeerNetwork(network)).contains(address) == isIn)
  }

  @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "host", "10.0.0/8"])
  func `anything else is no network`(text: String) { #expect(PeerNetwork(text) == nil) }
}
