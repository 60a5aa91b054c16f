public import SondeAddresses
public import SondeProviders
import SondeRecords
public import SondeStore

/// What a run does with the answers of earlier ones.
public struct CacheRules: Sendable {
  /// How long an answer is as good as a new one.
  public var timeToLive: Duration
  /// Whether an older one is better than none while the network is lost.
  public var allowsStale = false

  /// Makes rules that know no stale answers.
  public init(timeToLive: Duration) { self.timeToLive = timeToLive }
}

/// The answers of one provider that are kept from run to run.
public struct AnswerCache: Sendable {
  private let store: any AnswerStore
  private let scope: AnswerScope
  private let rules: CacheRules

  /// Makes a cache of the answers of one web API.
  ///
  /// - Parameters:
  ///   - api: Who gives the answers, and what it is asked for.
  ///   - store: Where they are kept.
  ///   - rules: What is done with them.
  public init(of api: any RemoteAPI, in store: any AnswerStore, rules: CacheRules) {
    self.store = store
    self.rules = rules
    scope = AnswerScope(of: api)
  }

  /// The answers to some addresses that may be given again.
  public func lookUp(_ addresses: [Address]) async -> KnownAnswers {
    await store.lookUp(addresses, in: scope, youngerThan: rules.timeToLive)
  }

  /// Whether there may be answers that were not there when it was looked into.
  ///
  /// - Parameter view: What it held then; `nil` where that is not known, or own answers may have come,
  ///   too.
  /// - Returns: Whether there may be.
  func mayHaveNews(since view: StoreView?) async -> Bool {
    guard let view else { return true }
    return await store.hasChanged(since: view)
  }

  /// What is known of addresses that cannot be asked for, however old; nothing where that is not
  /// wanted.
  func stale(_ addresses: [Address]) async -> KnownAnswers {
    guard rules.allowsStale else { return KnownAnswers() }
    var answers = await store.lookUp(addresses, in: scope, youngerThan: nil)
    let message = answers.block.append(text: "an expired answer, for the network is lost")
    for index in answers.block.records.indices where answers.block.records[index].status == .ok {
      answers.block.records[index][.message] = message
    }
    return answers
  }

  /// Keeps answers; returns when they are on disk.
  func save(_ block: RecordBlock) async {
    await store.save(block, in: scope)
  }
}

extension BaseURL {
  /// The URL without a user's name and password, should it hold them (RFC 3986 §3.2.1).
  fileprivate var withoutCredentials: String {
    guard let scheme = text.firstRange(of: "://") else { return text }
    let authority = text[scheme.upperBound...].prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return text }
    return String(text[..<scheme.upperBound] + text[text.index(after: at)...])
  }
}

extension AnswerScope {
  /// What the answers of a web API depend on besides the address.
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
