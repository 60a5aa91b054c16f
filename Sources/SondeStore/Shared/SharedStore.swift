public import SondeRedis

/// A server shared by any number of machines, with the ledger of their quotas and their answers.
public struct SharedStore: Sendable {
  /// The ledger.
  public let ledger: any QuotaLedger
  /// The answers.
  public let answers: any AnswerStore

  /// Names the server, which is connected to on first use; `warn` receives problems with listing or
  /// removing answers, and the call fails if hiredis cannot be loaded.
  public init(
    at place: RedisPlace,
    password: String?,
    warn: @escaping @Sendable (String) -> Void
  ) throws(RedisError) {
    try RedisConnection.loadLibrary()
    let link = SharedLink(to: place, password: password)
    ledger = SharedLedger(on: link)
    answers = SharedAnswers(on: link, warn: warn)
  }
}
