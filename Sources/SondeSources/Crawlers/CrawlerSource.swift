import SondeAddresses
import SondeAsking
import SondeCatalog
import SondeNames
import SondeReachability
import SondeRecords

/// Which addresses are a crawler's, as a source of columns: by published lists, and by the names of
/// those whose lines claim it.
final class CrawlerSource: AwaitedSource {
  private let lists: CrawlerLists
  private let names: NameAsker
  /// Whether the names of all addresses are asked for anyway.
  private let asksAll: Bool

  /// Creates a source without asking; throws `NameError` if there is no resolver.
  init(
    _ lists: CrawlerLists,
    _ settings: SourceSettings,
    in surroundings: SourceSurroundings
  ) throws {
    (self.lists, asksAll) = (lists, settings.asksAllNames)
    names = try .shared(settings, in: surroundings)
    names.join()
  }

  let columns = [AddedColumn].crawler

  let readsClaims = true

  /// Special-purpose addresses are no crawler's, and others behind them are.
  func wants(_ address: Address, claiming claims: CrawlerClaims) -> Bool {
    guard address.specialPurpose == nil else { return false }
    return asksAll || !claims.isEmpty || lists.crawler(of: address) != nil
  }

  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
    try await values(of: addresses, claiming: addresses.map { _ in [] }, isFresh: isFresh)
  }

  /// Asks for the names on which a claim depends; a fresh question ignores stored names.
  ///
  /// Throws `CancellationError` only.
  func values(
    of addresses: [Address],
    claiming claims: [CrawlerClaims],
    isFresh: Bool
  ) async throws -> AddedValues {
    let listed = addresses.map { lists.crawler(of: $0) }
    var open: [Address] = []
    var seen: Set<Address> = []
    for (index, address) in addresses.enumerated()
    where listed[index] == nil && (asksAll || CrawlerVerdict.needsNames(for: claims[index])) {
      // An address may be here with several claims.
      if seen.insert(address).inserted { open.append(address) }
    }
    let known = open.isEmpty ? [:] : try await names.names(of: open, isFresh: isFresh)
    var values = AddedValues()
    for (index, address) in addresses.enumerated() {
      let verdict = CrawlerVerdict(
        claims: claims[index],
        listed: listed[index],
        fetched: lists.fetched,
        names: known[address]
      )
      verdict.append(to: &values)
    }
    return values
  }

  func watch() async { await names.watch() }

  func stopAsking() { names.stopAsking() }

  /// The state of the resolver's network; `nil` before the first question.
  var networkStatus: NetworkStatus? { names.networkStatus }
}
