public import SondeAddresses
public import SondeProviders
import SondeRecords
public import SondeStore

/// How a run uses the answers of earlier ones.
public struct CacheRules: Sendable {
  /// The age from which an answer is too old.
  public var timeToLive: Duration
  /// Whether expired answers are used while the network is lost.
  public var allowsStale = false

  /// Creates rules without stale answers.
  public init(timeToLive: Duration) { self.timeToLive = timeToLive }
}

/// The stored answers of one provider.
public struct AnswerCache: Sendable {
  private let store: any AnswerStore
  private let scope: AnswerScope
  private let rules: CacheRules

  /// Creates a cache of the answers of one web API.
  public init(of api: any RemoteAPI, in store: any AnswerStore, rules: CacheRules) {
    (self.store, self.rules) = (store, rules)
    scope = AnswerScope(of: api)
  }

  /// The usable answers about some addresses.
  public func lookUp(_ addresses: [Address]) async -> KnownAnswers {
    await store.lookUp(addresses, in: scope, youngerThan: rules.timeToLive)
  }

  /// Whether answers may have been added since `view`; always if it is unknown (`nil`).
  func mayHaveNews(since view: StoreView?) async -> Bool {
    guard let view else { return true }
    return await store.hasChanged(since: view)
  }

  /// Answers of any age about addresses that cannot be requested, if stale answers are allowed.
  func stale(_ addresses: [Address]) async -> KnownAnswers {
    guard rules.allowsStale else { return KnownAnswers() }
    var answers = await store.lookUp(addresses, in: scope, youngerThan: nil)
    let message = answers.block.append(text: "an expired answer, for the network is lost")
    for index in answers.block.records.indices where answers.block.records[index].status == .ok {
      answers.block.records[index][.message] = message
    }
    return answers
  }

  /// Saves answers; returns when they are on disk.
  func save(_ block: RecordBlock) async { await store.save(block, in: scope) }
}

extension BaseURL {
  /// The URL without user name and password (RFC 3986 §3.2.1).
  fileprivate var withoutCredentials: String {
    guard let scheme = text.firstRange(of: "://") else { return text }
    let authority = text[scheme.upperBound...].prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return text }
    return String(text[..<scheme.upperBound] + text[text.index(after: at)...])
  }
}

extension AnswerScope {
  init(of api: any RemoteAPI) {
    self.init(
      provider: api.source.name,
      endpoint: api.base.withoutCredentials,
      account: api.isFree ? "" : "keyed",
      language: "en",
      fields: api.selection
    )
  }
}
