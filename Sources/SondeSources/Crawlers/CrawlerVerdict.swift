import SondeCatalog
import SondeNames
import SondeRecords

/// Whether an address is a crawler's, according to published lists and reverse DNS.
enum CrawlerVerdict: Sendable, Equatable {
  /// It claims nothing, and nothing shows that it is a crawler's.
  case none
  case genuine(Crawler)
  /// Its line claims to come from a crawler that it is not of.
  case impostor(Crawler)
  /// It claims to be of a crawler whose list was never fetched, and whose names show nothing.
  case unknown
  /// Its claim depends on its names, which the resolver did not have.
  case failed
  case networkLost

  /// Whether an address that no list has needs its names for a verdict about its claims.
  static func needsNames(for claims: CrawlerClaims) -> Bool {
    Crawler.named(in: claims).contains { !$0.domains.isEmpty }
  }

  /// Decides about an address.
  ///
  /// A confirmed name counts, whatever is claimed: only the owner of its domain can confirm it
  /// (https://developers.google.com/search/docs/crawling-indexing/verifying-googlebot, manual
  /// verification). A line that claims several crawlers makes an impostor only if all can be judged.
  /// - Parameters:
  ///   - claims: The crawlers that its line claims to come from.
  ///   - listed: The crawler whose list contains it; `nil` if none does.
  ///   - fetched: The crawlers whose lists were fetched.
  ///   - names: Its names; `nil` if they were not asked for.
  init(claims: CrawlerClaims, listed: Crawler?, fetched: CrawlerClaims, names: HostNames?) {
    let named = Crawler.all.first { crawler in
      names?.confirmedNames.contains { crawler.hasDomain(of: $0) } ?? false
    }
    if let known = listed ?? named {
      self = .genuine(known)
      return
    }
    let claimed = Crawler.named(in: claims)
    guard let first = claimed.first else {
      self = .none
      return
    }
    let byList = claims.intersection(fetched)
    let isJudged = claimed.allSatisfy {
      !$0.domains.isEmpty || Crawler.named(in: byList).contains($0)
    }
    let status = Self.needsNames(for: claims) ? names?.status ?? .failed : HostNames.Status.none
    switch status {
    case .networkLost: self = .networkLost
    case .failed: self = .failed
    case .confirmed, .unconfirmed, .none: self = isJudged ? .impostor(first) : .unknown
    }
  }

  /// Adds a row with the verdict, the name of the crawler, and the status.
  func append(to values: inout AddedValues) {
    let (verdict, crawler, status): (String, Crawler?, AddedStatus?) =
      switch self {
      case .none: ("", nil, nil)
      case .genuine(let crawler): ("genuine", crawler, .named("ok"))
      case .impostor(let crawler): ("impostor", crawler, .named("ok"))
      case .unknown: ("", nil, .named("unknown"))
      case .failed: ("", nil, .failed)
      case .networkLost: ("", nil, .networkLost)
      }
    guard let status else { return values.appendNothing([AddedColumn].crawler.count) }
    values.append(text: verdict)
    values.append(text: crawler?.name ?? "")
    values.append(status: status)
  }
}
