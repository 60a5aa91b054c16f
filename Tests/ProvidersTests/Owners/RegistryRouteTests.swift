import SondeAddresses
import Testing
import SondeTransfer

@testable import SondeProviders

@Suite struct RegistryRouteTests {
  private let address = Address(ipv4: 0x0808_0808)

  private func redirect(_ location: String, status: Int = 302) -> Response {
    Response(status: status, body: [], rawHeader: Array("Location: \(location)\r\n\r\n".utf8))
  }

  private func route(
    _ service: String = "https://rdap.arin.net/registry/",
    mirror: String? = nil
  ) throws -> RegistryRoute {
    let mirror = mirror.map { BaseURL($0) }
    return try #require(RegistryRoute(to: service, about: address, mirror: mirror))
  }

  @Test func `a question is asked at its registry, or below the mirror`() throws {
    #expect(try route().requestURL == "https://rdap.arin.net/registry/ip/8.8.8.8")
    let mirrored = try route(mirror: "http://127.0.0.1:9/base/")
    #expect(mirrored.requestURL == "http://127.0.0.1:9/base/rdap.arin.net/registry/ip/8.8.8.8")
    #expect(mirrored.registry.name == "arin")
    #expect(
      try route("http://127.0.0.1:8/", mirror: "http://h").requestURL
        == "http://127.0.0.1:8/ip/8.8.8.8"
    )
    let ipv6 = try #require(Address("2001:db8::1"))
    let other = try #require(RegistryRoute(to: "https://rdap.apnic.net/", about: ipv6, mirror: nil))
    #expect(other.requestURL == "https://rdap.apnic.net/ip/2001:db8::1")
    #expect(RegistryRoute(to: "no URL", about: ipv6, mirror: nil) == nil)
  }

  @Test func `a redirect to another registry counts there`() throws {
    let locations = ["https://rdap.apnic.net/ip/8.8.8.8", "//rdap.apnic.net/ip/8.8.8.8"]
    for status in [301, 302, 303, 307, 308] {
      for location in locations {
        var route = try route(mirror: "http://127.0.0.1:9")
        #expect(route.follow(redirect(location, status: status)) == nil)
        #expect(route.registry.name == "apnic")
        #expect(route.requestURL == "http://127.0.0.1:9/rdap.apnic.net/ip/8.8.8.8")
      }
    }
  }

  @Test func `a mirror may name places as its own`() throws {
    let locations = [
      "http://127.0.0.1:9/m/rdap.apnic.net/ip/8.8.8.8", "/m/rdap.apnic.net/ip/8.8.8.8",
    ]
    for location in locations {
      var route = try route(mirror: "http://127.0.0.1:9/m")
      #expect(route.follow(redirect(location)) == nil)
      #expect(route.registry.name == "apnic")
      #expect(route.requestURL == "http://127.0.0.1:9/m/rdap.apnic.net/ip/8.8.8.8")
    }
    var bare = try route(mirror: "http://127.0.0.1:9")
    #expect(bare.follow(redirect("/rdap.apnic.net/ip/8.8.8.8")) == nil)
    #expect(bare.registry.name == "apnic")
  }

  @Test func `the registry's own references are followed`() throws {
    var route = try route(mirror: "http://127.0.0.1:9")
    #expect(route.follow(redirect("../ip/8.8.8.0/24")) == nil)
    #expect(route.requestURL == "http://127.0.0.1:9/rdap.arin.net/registry/ip/8.8.8.0/24")
    #expect(route.follow(redirect("/x")) == nil)
    #expect(route.requestURL == "http://127.0.0.1:9/rdap.arin.net/x")
  }

  @Test func `who is none of the registries acts for the one that sent there`() throws {
    var route = try route("https://rdap.lacnic.net/rdap/")
    #expect(route.follow(redirect("https://rdap.registro.br/ip/8.8.8.8")) == nil)
    #expect(route.registry.name == "lacnic")
    #expect(route.requestURL == "https://rdap.registro.br/ip/8.8.8.8")
    #expect(route.follow(redirect("http://127.0.0.1:7/x")) == nil)
    #expect(route.registry.name == "lacnic")
  }

  @Test func `what is not followed`() throws {
    for location in ["http://rdap.apnic.net/ip/8.8.8.8", "http://127.0.0.1.example/"] {
      var route = try route()
      #expect(route.follow(redirect(location)) == "is redirected away from HTTPS")
    }
    for location in ["ftp://rdap.apnic.net/", "https://", "", "https://a b/"] {
      var route = try route()
      #expect(route.follow(redirect(location)) != nil, "\(location)")
    }
    var nowhere = try route()
    let plain = Response(status: 302, body: [])
    #expect(nowhere.follow(plain) == "is redirected nowhere (HTTP 302)")
    #expect(
      nowhere.follow(redirect("https://rdap.apnic.net/", status: 304))
        == "is redirected nowhere (HTTP 304)"
    )
    var circle = try route()
    #expect(circle.follow(redirect("https://rdap.apnic.net/a")) == nil)
    let home = redirect("https://rdap.arin.net/registry/ip/8.8.8.8")
    #expect(circle.follow(home) == "is redirected in a circle")
    var far = try route()
    for number in 1...3 { #expect(far.follow(redirect("https://rdap.apnic.net/\(number)")) == nil) }
    #expect(far.follow(redirect("https://rdap.apnic.net/4")) == "is redirected too often")
  }
}

@Suite struct RegistryReadingTests {
  private func read(_ status: Int, _ body: String, _ header: String = "") -> RegistryReading {
    let response = Response(status: status, body: Array(body.utf8), rawHeader: Array(header.utf8))
    return RegistryReading(response, about: Address(ipv4: 0x0808_0808), time: 0)
  }

  @Test func `statuses have their meanings`() {
    let network = #"{"startAddress":"8.8.8.0","endAddress":"8.8.8.255","name":"N"}"#
    #expect(read(200, network).verdict.meaning == .answered)
    #expect(read(404, "<html>").content == .nothing)
    #expect(read(404, "").verdict.meaning == .answered)
    #expect(read(302, "", "Location: https://a/\r\n\r\n").content == .redirect)
    let lie = #"{"startAddress":"9.8.8.0","endAddress":"9.8.8.255"}"#
    #expect(read(200, lie).content == .misleading("the answer is about other addresses"))
    #expect(read(200, lie).verdict.meaning == .answered)
    let meanings: [(Int, String, ExchangeVerdict.Meaning)] = [
      (200, "", .retry), (200, "{}", .retry), (200, "<html>", .retry), (511, "", .retry),
      (500, "", .retry),
      (503, "", .retry), (204, "", .retry), (400, "", .rejected), (403, "", .refused),
      (401, "", .refused),
      (429, "", .throttled(isTold: false)),
    ]
    for (status, body, meaning) in meanings {
      let reading = read(status, body)
      #expect(reading.verdict.meaning == meaning, "\(status) \(body)")
      #expect(reading.content == .none && reading.verdict.path?.isLoss == false)
    }
    let told = read(429, "", "Retry-After: 7\r\n\r\n").verdict
    #expect(told.meaning == .throttled(isTold: true) && told.wait == .seconds(7))
    let long = read(429, "<html>", "Retry-After: 9000\r\n\r\n").verdict
    #expect(long.meaning == .throttled(isTold: true) && long.wait == .seconds(3600))
    #expect(long.pause == .zero)
  }
}
