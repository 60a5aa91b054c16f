public import SondeRedis

/// A server that any number of machines share: the ledger of their quotas, and their answers.
public struct SharedStore: Sendable {
  /// The ledger.
  public let ledger: any QuotaLedger
  /// The answers.
  public let answers: any AnswerStore

  /// Names the server; it is connected to at the first use.
  ///
  /// - Parameters:
  ///   - place: The server.
  ///   - password: What to log in with; `nil` where that is not needed.
  ///   - warn: Told what is wrong where answers are listed or removed.
  /// - Throws: `RedisError` where hiredis cannot be loaded.
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
