import SondeAddresses
import SondeCatalog
import SondeNames
import SondeRecords
import SondeStore
import Testing

@testable import SondeSources

@Suite struct CrawlerTests {
  private static let combined =
    #"192.0.2.1 - - [01/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "#

  private func claims(_ line: String) -> [String] {
    let bytes = Array(line.utf8)
    return Crawler.named(in: Crawler.claims(in: bytes.span)).map(\.name)
  }

  private func crawler(_ name: String) throws -> Crawler {
    try #require(Crawler.all.first { $0.name == name })
  }

  private func claim(_ names: String...) -> CrawlerClaims {
    let numbers = Crawler.all.indices.filter { names.contains(Crawler.all[$0].name) }
    return CrawlerClaims(numbers.map { CrawlerClaims(number: $0) })
  }

  // MARK: - Claims

  @Test func `every crawler is claimed by its word`() {
    for crawler in Crawler.all {
      #expect(claims(crawler.name) == [crawler.name])
      #expect(claims("a \(crawler.name.uppercased())/1.0") == [crawler.name])
    }
    #expect(Crawler.all.count <= 8)
  }

  @Test(
    arguments: [
      (
        combined + #""Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)""#,
        "googlebot"
      ),
      (CrawlerTests.combined + #""Googlebot-Image/1.0""#, "googlebot"),
      // CloudFront, JSON, nginx's escapes.
      ("Mozilla/5.0%20(compatible;%20bingbot/2.0;%20+http://www.bing.com/bingbot.htm)", "bingbot"),
      (#"{"ua":"x\nGPTBot\/1.2"}"#, "gptbot"),
      (#"\x22Applebot/0.1\x22"#, "applebot"),
      ("\u{1b}[31mYandexBot\u{1b}[0m", "yandexbot"),
      ("BaiduSpider", "baiduspider"),
      ("éGooglebot", "googlebot"),
    ]
  ) func `a whole word is a claim`(line: String, name: String) {
    #expect(claims(line) == [name])
  }

  @Test(
    arguments: [
      "", "bot", "ooglebot", "evilgooglebot/1.0", "googlebots", "google bot", "googlebot2",
      "_googlebot",
      "googlebot_", "Googleb\u{f6}t", "%2Googlebot", "mybingbot", "AppleBot1",
    ]
  ) func `a part of a word is no claim`(line: String) {
    #expect(claims(line) == [])
  }

  @Test func `a line may claim several`() {
    #expect(claims("bingbot, Googlebot and bingbot") == ["googlebot", "bingbot"])
  }

  @Test func `claims agree with a slow search`() {
    var generator = SystemRandomNumberGenerator()
    let pieces =
      Crawler.all.map(\.name) + ["G", "oogleBOT", "-", "_", " ", "7", ".", "bot", "\u{e9}"]
    for _ in 0..<3_000 {
      let line = (0..<6).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      let expected = Crawler.all.map(\.name).filter { isWord($0, of: line) }
      #expect(claims(line) == expected, "\(line)")
    }
  }

  /// Whether a line without escapes has a word of its own, whatever the case.
  private func isWord(_ word: String, of line: String) -> Bool {
    let words = line.unicodeScalars.split { scalar in
      !(scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
        && scalar != "_"
    }
    return words.contains { String($0).lowercased() == word }
  }

  // MARK: - Domains

  @Test(
    arguments: [
      ("crawl-66-249-66-1.googlebot.com", "googlebot"), ("CRAWL.GoogleBot.com", "googlebot"),
      ("rate-limited-proxy-66-249-90-77.google.com", "googlebot"),
      ("msnbot-157-55-39-1.search.msn.com", "bingbot"),
      ("17-58-101-179.applebot.apple.com", "applebot"),
      ("spider-5-255-1-1.yandex.com", "yandexbot"),
      ("baiduspider-180-76-15-1.crawl.baidu.jp", "baiduspider"),
    ]
  ) func `a name is in a domain`(name: String, crawler: String) {
    #expect(Crawler.all.filter { $0.hasDomain(of: name) }.map(\.name) == [crawler])
  }

  @Test(
    arguments: [
      "googlebot.com", ".googlebot.com", "evilgooglebot.com", "a.evilgooglebot.com",
      "googlebot.com.evil.example", "crawl-66-249-66-1.googlebot.com.evil.example",
      #"evil\046googlebot.com"#, "a.googlebot.com.", "googlebot.org", "a.msn.com", "apple.com",
      "a.apple.com", "", ".",
    ]
  ) func `a name like one in a domain is not in it`(name: String) {
    #expect(!Crawler.all.contains { $0.hasDomain(of: name) })
  }

  // MARK: - Verdicts

  private func names(_ names: [String], confirmed: Int) -> HostNames {
    let status: HostNames.Status =
      names.isEmpty ? .none : confirmed > 0 ? .confirmed : .unconfirmed
    return HostNames(names: names, status: status, confirmed: confirmed, lifetime: nil)
  }

  private func verdict(
    _ claims: CrawlerClaims,
    listed: String? = nil,
    fetched: CrawlerClaims = [],
    _ names: HostNames? = nil
  ) throws -> CrawlerVerdict {
    let listed = try listed.map { try crawler($0) }
    return CrawlerVerdict(claims: claims, listed: listed, fetched: fetched, names: names)
  }

  @Test func `a list decides whatever is claimed`() throws {
    for claims in [claim(), claim("googlebot"), claim("gptbot"), claim("applebot", "gptbot")] {
      #expect(try verdict(claims, listed: "bingbot") == .genuine(crawler("bingbot")))
    }
  }

  @Test func `a confirmed name decides whatever is claimed`() throws {
    let known = names(["crawl-1.googlebot.com"], confirmed: 1)
    for claims in [claim(), claim("googlebot"), claim("bingbot"), claim("gptbot")] {
      #expect(try verdict(claims, known) == .genuine(crawler("googlebot")))
    }
  }

  @Test func `a name that is not confirmed proves nothing`() throws {
    let lies = [
      names(["crawl-1.googlebot.com"], confirmed: 0),
      // Only the first resolves to the address.
      names(["evil.example", "crawl-1.googlebot.com"], confirmed: 1),
      names(["a.evilgooglebot.com", "googlebot.com.evil.example"], confirmed: 2),
      names([], confirmed: 0),
    ]
    for lie in lies {
      #expect(try verdict(claim("googlebot"), lie) == .impostor(crawler("googlebot")))
      #expect(try verdict(claim(), lie) == .none)
    }
    let both = names(["own.example", "crawl-1.googlebot.com"], confirmed: 2)
    #expect(try verdict(claim("googlebot"), both) == .genuine(crawler("googlebot")))
  }

  @Test func `what cannot be judged is empty`() throws {
    #expect(try verdict(claim("gptbot")) == .unknown)
    #expect(try verdict(claim("gptbot"), fetched: claim("googlebot", "bingbot")) == .unknown)
    #expect(
      try verdict(claim("gptbot"), fetched: claim("gptbot")) == .impostor(crawler("gptbot"))
    )
    let none = names([], confirmed: 0)
    #expect(try verdict(claim("googlebot", "gptbot"), none) == .unknown)
    #expect(
      try verdict(claim("googlebot", "gptbot"), fetched: claim("gptbot"), none)
        == .impostor(crawler("googlebot"))
    )
  }

  @Test func `a resolver without an answer leaves a claim open, and nothing else`() throws {
    for (status, expected): (HostNames.Status, CrawlerVerdict) in [
      (.failed, .failed), (.networkLost, .networkLost),
    ] {
      let names = HostNames(names: ["crawl-1.googlebot.com"], status: status, lifetime: nil)
      #expect(try verdict(claim("googlebot"), names) == expected)
      #expect(try verdict(claim(), names) == .none)
      #expect(try verdict(claim("gptbot"), names) == .unknown)
      #expect(
        try verdict(claim("googlebot"), listed: "bingbot", names) == .genuine(crawler("bingbot"))
      )
    }
  }

  @Test func `names are needed only for claims of crawlers with domains`() {
    #expect(!CrawlerVerdict.needsNames(for: []))
    #expect(!CrawlerVerdict.needsNames(for: claim("gptbot")))
    #expect(CrawlerVerdict.needsNames(for: claim("gptbot", "applebot")))
    for crawler in Crawler.all where crawler.name != "gptbot" {
      #expect(CrawlerVerdict.needsNames(for: claim(crawler.name)))
    }
  }

  // MARK: - Kept names

  @Test(arguments: [1, 2, 3]) func `the number of confirmed names is kept`(count: Int) throws {
    let address = try #require(Address("8.8.8.8"))
    let names = HostNames(
      names: ["a.example", "b.example", "c.example"],
      status: .confirmed,
      confirmed: count,
      lifetime: .seconds(600)
    )
    let kept = try #require(names.kept(of: address))
    let read = try #require(HostNames(kept: kept.text))
    #expect(Array(read.confirmedNames) == Array(names.names.prefix(count)))
  }

  @Test func `of names kept by earlier versions, the first is confirmed`() throws {
    let read = try #require(HostNames(kept: Array("confirmed\na.example\nb.example".utf8)))
    #expect(Array(read.confirmedNames) == ["a.example"])
    for text in ["confirmed 0\na", "confirmed x\na", "confirmed 1 1\na", "confirmed \na"] {
      #expect(HostNames(kept: Array(text.utf8)) == nil)
    }
    let many = try #require(HostNames(kept: Array("confirmed 9\na.example".utf8)))
    #expect(Array(many.confirmedNames) == ["a.example"])
  }
}
