import SondeAddresses
public import SondeRecords

/// A crawler whose addresses can be verified: a row of the table of crawlers.
///
/// Anybody can send its name in a request; the address shows who does. To add one, add its row at
/// the end of ``all``, whose numbers are bits of ``CrawlerClaims``.
public struct Crawler: Sendable, Equatable {
  /// All crawlers; their numbers are their positions.
  public static let all = [
    // https://developers.google.com/search/docs/crawling-indexing/verifying-googlebot: names of
    // common crawlers are under googlebot.com, those of others under google.com.
    Crawler("googlebot", list: .googlebot, domains: ["googlebot.com", "google.com"]),
    // https://www.bing.com/webmasters/help/verifying-bingbot-2195837f.
    Crawler("bingbot", list: .bingbot, domains: ["search.msn.com"]),
    // https://platform.openai.com/docs/bots: by its list alone.
    Crawler("gptbot", list: .gptbot),
    // https://support.apple.com/en-us/119829: "*.applebot.apple.com".
    Crawler("applebot", domains: ["applebot.apple.com"]),
    // https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html.
    Crawler("yandexbot", domains: ["yandex.ru", "yandex.net", "yandex.com"]),
    // https://help.baidu.com/question?prod_id=99&class=476&id=2996: "*.baidu.com or *.baidu.jp".
    Crawler("baiduspider", domains: ["baidu.com", "baidu.jp"]),
  ]

  /// Its name in `crawler_name`, and the word in a line that claims to come from it.
  public let name: String
  /// The source of its published list of networks; `nil` if it has none.
  public let list: AddedSource?
  /// The domains that contain the names of its addresses; empty if their names show nothing.
  public let domains: [String]

  private init(_ name: String, list: PublishedList? = nil, domains: [String] = []) {
    (self.name, self.domains) = (name, domains)
    self.list = list.flatMap { AddedSource(name: $0.name) }
  }

  /// Whether a confirmed name of an address is in one of its domains.
  ///
  /// In a name as ``AddedColumn`` `ptr` has it, every `.` separates labels.
  public func hasDomain(of name: String) -> Bool {
    let name = name.lowercased()
    return domains.contains { name.hasSuffix("." + $0) && name.utf8.count > $0.utf8.count + 1 }
  }
}

// MARK: - Claims

extension Crawler {
  private static let words = all.map { Array($0.name.utf8) }

  /// The crawlers that a line without its end claims to come from, by their names as whole words,
  /// whatever their case.
  public static func claims(in line: Span<UInt8>) -> CrawlerClaims {
    var claims: CrawlerClaims = []
    for index in line.indices.dropFirst() {
      // All words end with `ot` or `er`; few bytes do.
      let (before, last) = (line[index &- 1] | 0x20, line[index] | 0x20)
      guard
        last == UInt8(ascii: "t") && before == UInt8(ascii: "o")
          || last == UInt8(ascii: "r") && before == UInt8(ascii: "e")
      else { continue }
      for (number, word) in words.enumerated()
      where line.ends(in: word, at: index)
        && line.isWholeWord(index + 1 - word.count..<index + 1)
      {
        claims.insert(CrawlerClaims(number: number))
      }
    }
    return claims
  }

  /// Those that are in a set of claims, in their order.
  public static func named(in claims: CrawlerClaims) -> [Crawler] {
    all.enumerated().filter { claims.contains(CrawlerClaims(number: $0.offset)) }.map(\.element)
  }
}

extension Span<UInt8> {
  /// Whether a word of small letters, whatever their case here, ends with the byte at a position.
  fileprivate func ends(in word: [UInt8], at last: Int) -> Bool {
    let start = last + 1 - word.count
    guard start >= 0 else { return false }
    for (offset, letter) in word.enumerated() where self[start + offset] | 0x20 != letter {
      return false
    }
    return true
  }
}
