public import SondeRedis

/// A server shared by any number of machines, with the ledger of their quotas and their answers.
public struct SharedStore: Sendable {
  /// The ledger.
  public let ledger: any QuotaLedger
  /// The answers.
  public let answers: any AnswerStore

  /// Names the server, which is connected to on first use; `warn` receives problems with listing or
  /// removing answers, and the call fails if hiredis, or libssl for TLS,
  /// cannot be loaded.
  public init(
    at access: RedisAccess,
    warn: @escaping @Sendable (String) -> Void
  ) throws(RedisError) {
    try RedisConnection.loadLibraries(for: access.place)
    let link = SharedLink(to: access)
    ledger = SharedLedger(on: link)
    answers = SharedAnswers(on: link, warn: warn)
  }
}
