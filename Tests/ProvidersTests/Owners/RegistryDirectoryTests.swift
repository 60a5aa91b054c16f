import SondeAddresses
import Testing

@testable import SondeProviders

@Suite struct RegistryDirectoryTests {
  private func directory(_ services: String) throws -> RegistryDirectory {
    try RegistryDirectory(parsing: Array(#"{"version":"1.0","services":[\#(services)]}"#.utf8))
  }

  private func reason(_ body: String) -> String? {
    do {
      _ = try RegistryDirectory(parsing: Array(body.utf8))
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `the longest network decides`() throws {
    let directory = try directory(
      #"""
      [["8.0.0.0/8","2001:db8::/32"],["https://rdap.arin.net/registry/"]],
      [["8.8.0.0/16","8.8.8.8/32"],["https://rdap.apnic.net/"]],
      [["2001:db8:1::/48"],["https://rdap.db.ripe.net"]]
      """#
    )
    let cases = [
      "8.8.8.8": "https://rdap.apnic.net/", "8.9.8.8": "https://rdap.arin.net/registry/",
      "9.9.9.9": nil,
      "2001:db8::1": "https://rdap.arin.net/registry/",
      "2001:db8:1::1": "https://rdap.db.ripe.net/",
    ]
    for (address, url) in cases {
      #expect(directory.url(for: try #require(Address(address))) == url)
    }
    #expect(directory.count == 5)
  }

  @Test func `HTTPS is preferred, and the first of equals`() throws {
    let cases = [
      (#"["http://a/","https://b/"]"#, "https://b/"),
      (#"["https://a","https://b/"]"#, "https://a/"),
      (#"["HTTP://a/"]"#, "HTTP://a/"), (#"["ftp://a/","http://b/x"]"#, "http://b/x/"),
    ]
    for (urls, expected) in cases {
      let directory = try directory(#"[["8.0.0.0/8"],\#(urls)]"#)
      #expect(directory.url(for: Address(ipv4: 0x0808_0808)) == expected)
    }
  }

  @Test func `what is no network or no URL counts for nothing`() throws {
    let directory = try directory(
      #"""
      7, null, {}, [], [[]], [["9.0.0.0/8"]], [["9.0.0.0/8"],[]], [["9.0.0.0/8"],["ftp://x/"]],
      [["9.0.0.0/8"],["https://a b/","https://"]], [["9.0.0.0/33","x","",7,"9.0.0.0-9.0.0.2"],["https://c/"]],
      [["8.0.0.0/8"],["https://d/"],["more"]], [["8.0.0.0/8"],["https://later/"]], ["8.0.0.0/9","https://e/"]
      """#
    )
    #expect(directory.count == 2)
    #expect(directory.url(for: Address(ipv4: 0x0808_0808)) == "https://e/")
    #expect(directory.url(for: Address(ipv4: 0x08f0_0000)) == "https://d/")
    #expect(directory.url(for: Address(ipv4: 0x0900_0001)) == nil)
  }

  @Test func `a text that is no such file is refused`() {
    let bodies = [
      "", "<html>", "[]", "{}", #"{"services":{}}"#, #"{"services":[]}"#,
      #"{"services":[[["8.0.0.0/8"]]]}"#,
      String(repeating: "[", count: 10_000),
    ]
    for body in bodies { #expect(reason(body) != nil) }
  }
}

@Suite struct RegistryTests {
  @Test func `registries are known by their hosts`() {
    let cases = [
      ("rdap.arin.net", "arin", true), ("rdap.db.ripe.net", "ripe", true),
      ("RDAP.APNIC.NET", "apnic", true),
      ("jpnic.rdap.apnic.net", "apnic", true), ("rdap.lacnic.net", "lacnic", true),
      ("arin.net", "arin", true),
      ("rdap.afrinic.net", "afrinic", true), ("rdap.registro.br", "rdap.registro.br", false),
      ("notarin.net", "notarin.net", false), ("127.0.0.1:80", "127.0.0.1:80", false),
      ("", "", false),
    ]
    for (host, name, isRegional) in cases {
      let registry = Registry(host: host)
      #expect(registry.name == name && registry.isRegional == isRegional)
      #expect(Registry(name: registry.name).name == name)
    }
  }

  @Test func `LACNIC is asked ten times a minute, the others once a second`() {
    for registry in Registry.regional + [Registry(host: "rdap.example")] {
      let isLACNIC = registry.name == "lacnic"
      let expected = Allowance(requests: isLACNIC ? 10 : 1, per: .seconds(isLACNIC ? 60 : 1))
      #expect(registry.allowance == expected)
    }
  }
}
