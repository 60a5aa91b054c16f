import SondeAddresses
import SondeCatalog
import SondeRecords

extension AskedSource {
  /// Crawlers, by the lists that were fetched.
  static func crawlers(_ lists: CrawlerLists) -> AskedSource {
    AskedSource(
      countsRequests: false,
      open: { try CrawlerSource(lists, $0, in: $1) },
      plan: { try CrawlerPlan(lists, $0, keptIn: $1) }
    )
  }
}

/// The number of addresses whose names a resolver would be asked for because of their claims, and the
/// minimum time.
struct CrawlerPlan: SourcePlan {
  private let lists: CrawlerLists
  private let asksAll: Bool
  private var names: NamePlan

  /// Creates a plan without asking the resolver; throws `NameError` if there is none.
  init(_ lists: CrawlerLists, _ settings: SourceSettings, keptIn memory: SourceMemory) throws {
    (self.lists, asksAll) = (lists, settings.asksAllNames)
    names = try NamePlan(.names, settings, keptIn: memory)
  }

  /// The addresses, and the minimum time.
  var lines: [SourcePlanLine] {
    names.lines.map { line in
      SourcePlanLine("crawler", questions: line.questions, line.time)
    }
  }

  /// Counts none: they claim nothing.
  func count(_ addresses: [Address]) async {}

  mutating func count(_ addresses: [Address], claiming claims: [CrawlerClaims]) async {
    // With all names, the plan of names has these, too.
    guard !asksAll else { return }
    let asked = zip(addresses, claims).filter { address, claims in
      address.specialPurpose == nil && CrawlerVerdict.needsNames(for: claims)
        && lists.crawler(of: address) == nil
    }
    await names.count(asked.map(\.0))
  }
}
