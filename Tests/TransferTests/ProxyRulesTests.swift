import Testing

@testable import SondeTransfer

@Suite struct ProxyRulesTests {
  /// The proxy for a URL, as `host:port`; `-` for none.
  private func proxy(_ environment: [String: String], to url: String) throws -> String {
    let endpoint = try #require(try Endpoint(url: url))
    let rules = try ProxyRules(environment: environment)
    return rules.proxy(to: endpoint, withSecret: false)?.description ?? "-"
  }

  @Test func `each scheme has its variables, the first that is not empty counts`() throws {
    let all = ["http_proxy": "a:1", "https_proxy": "b:2", "all_proxy": "c:3"]
    #expect(try proxy(all, to: "http://x/") == "a:1")
    #expect(try proxy(all, to: "https://x/") == "b:2")
    #expect(try proxy(["http_proxy": "", "ALL_PROXY": "c:3"], to: "http://x/") == "c:3")
    #expect(try proxy(["HTTPS_PROXY": "b:2"], to: "https://x/") == "b:2")
    #expect(try proxy(["HTTP_PROXY": "a:1"], to: "http://x/") == "-")
    #expect(try proxy([:], to: "http://x/") == "-")
  }

  @Test func `a proxy's port is its scheme's own unless it is named`() throws {
    let table = [
      "10.0.0.1": "10.0.0.1:1080", "http://Proxy.Example": "proxy.example:1080",
      "https://p": "p:443", "socks5h://p": "p:1080", "socks4://p:9": "p:9",
      "http://user:s3cret@[::1]:3128/path": "[::1]:3128",
    ]
    for (url, place) in table { #expect(try Proxy(url: url)?.description == place, "\(url)") }
  }

  @Test func `what names no proxy is refused, and its value is not told`() throws {
    let bad = [
      "http://bad host:3128", "http://127.0.0.1:99999", "http://[::1", "ftp://p", "http://", ":",
      "gopher://s3cret",
    ]
    #expect(try bad.filter { try Proxy(url: $0) != nil } == [])
    let error = #expect(throws: ProxyRules.VariableError.self) {
      try ProxyRules(environment: ["all_proxy": "ftp://s3cret@p"])
    }
    #expect(error?.description == "all_proxy is no URL of a proxy")
  }

  @Test func `what is secret goes through a proxy only within TLS`() throws {
    let rules = try ProxyRules(environment: ["all_proxy": "p"])
    let plain = try #require(try Endpoint(url: "http://127.0.0.1/"))
    let secure = try #require(try Endpoint(url: "https://x/"))
    #expect(rules.proxy(to: plain, withSecret: true) == nil)
    #expect(rules.proxy(to: plain, withSecret: false) != nil)
    #expect(rules.proxy(to: secure, withSecret: true) != nil)
  }

  @Test func `no password is printed`() throws {
    let rules = try ProxyRules(environment: ["http_proxy": "http://user:s3cret@p"])
    var text = "\(rules) \(String(reflecting: rules))"
    dump(rules, to: &text)
    #expect(!text.contains("s3cret"))
  }

  @Test func `exceptions are names, domains, addresses and blocks`() {
    let excepted = [
      ("*", "x"), ("example.com", "example.com"), ("example.com", "www.example.com"),
      (".example.com", "example.com"), (".example.com", "a.b.example.com"),
      ("example.com.", "example.com"), ("example.com", "example.com."),
      ("127.0.0.1", "127.0.0.1"), ("127.0.0.0/8", "127.9.9.9"), ("10.1.2.3/15", "10.0.9.9"),
      ("0.0.0.0/0", "8.8.8.8"), ("::1", "[::1]"), ("[::1]", "[::1]"),
      ("2001:db8::/32", "[2001:db8:9::1]"), ("10.0.0.0/32", "10.0.0.0"),
    ]
    let others = [
      ("ample.com", "example.com"), ("example.com", "example.org"), ("", "x"), (".", "x"),
      ("127.0.0.1", "127.0.0.2"), ("127.0.0.0/8", "128.0.0.1"), ("10.1.2.3/16", "10.0.9.9"),
      ("10.0.0.0/33", "10.0.0.0"), ("10.0.0.0/-1", "10.0.0.0"), ("10.0.0.0/x", "10.0.0.0"),
      ("::/0", "8.8.8.8"), ("0.0.0.0/0", "[::1]"), ("1/8", "1.1.1.1"),
    ]
    #expect(excepted.filter { !ProxyRules.excepts($0.0, $0.1) }.map(\.0) == [])
    #expect(others.filter { ProxyRules.excepts($0.0, $0.1) }.map(\.0) == [])
  }

  @Test func `the list is parted by commas and blanks, and may be in capitals`() throws {
    let list = ["http_proxy": "p", "NO_PROXY": "A.example, 10.0.0.0/8\tb.example"]
    #expect(try proxy(list, to: "http://a.example/") == "-")
    #expect(try proxy(list, to: "http://x.B.example/") == "-")
    #expect(try proxy(list, to: "http://10.9.9.9/") == "-")
    #expect(try proxy(list, to: "http://c.example/") == "p:1080")
    let empty = list.merging(["no_proxy": ""]) { $1 }
    #expect(try proxy(empty, to: "http://a.example/") == "-")
  }
}
