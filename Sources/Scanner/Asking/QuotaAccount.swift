import Providers
import Records
import Store
import System

/// The quota of one provider and key, in a ledger that several processes share.
struct QuotaAccount: Sendable {
  private let ledger: any QuotaLedger
  private let account: String

  /// - Parameters:
  ///   - ledger: Where the quotas are kept.
  ///   - api: Who keeps the quota.
  ///   - form: What is asked in; each form has windows of its own.
  init(_ ledger: any QuotaLedger, of api: any RemoteAPI, _ form: RequestForm) {
    self.init(ledger, account: Self.account(of: api, form))
  }

  /// - Parameters:
  ///   - ledger: Where the quotas are kept.
  ///   - account: Whose quota it is.
  init(_ ledger: any QuotaLedger, account: String) {
    (self.ledger, self.account) = (ledger, account)
  }

  private static func account(of api: any RemoteAPI, _ form: RequestForm) -> String {
    let credential = api.isFree ? "free" : "key \(api.credential ?? "")"
    return "\(api.source.name) \(api.base.text) \(form) \(credential)"
  }

  /// What is left of the quota; nothing is changed.
  ///
  /// - Parameter start: What a process begins with where nobody knows better.
  /// - Returns: What is left; `nil` where nothing was spent of the window, or the ledger is gone.
  func rest(_ start: Quota) async -> Quota.Rest? {
    guard let row = await ledger.row(of: account) else { return nil }
    var quota = SharedQuota(bytes: row.bytes, start: start, at: ClockReading(row.time))
    if let loss = row.lost { quota.doubt(since: loss) }
    return quota.quota.rest(at: row.time.now)
  }

  /// How often to look whether the ledger still has the quota; `nil` where it cannot lose it.
  var lookInterval: Duration? { ledger.lookInterval }

  /// Whether the ledger has lost what this process knows to have been there.
  func isLost() async -> Bool { await ledger.row(of: account)?.lost != nil }

  /// Who holds the tickets that are reserved here.
  var holder: UInt64 { ledger.holder }

  /// The time by which the quota reckons.
  var now: Duration { ledger.now }

  /// Changes the quota, atomically over all processes.
  ///
  /// - Parameters:
  ///   - start: What this process begins with where nobody knows better.
  ///   - body: Is given what all processes together know.
  /// - Returns: What `body` returned, and the quota after it; or why there is no ledger.
  func change<Result: Sendable>(
    _ start: Quota,
    _ body: @escaping @Sendable (inout SharedQuota, Duration) -> Result
  ) async -> LedgerUpdate<(result: Result, quota: SharedQuota)> {
    await ledger.update(account) { row in
      let now = row.time.now
      var quota = SharedQuota(bytes: row.bytes, start: start, at: ClockReading(row.time))
      let before = quota.bytes
      quota.quietUntil = row.quietUntil
      if let loss = row.lost { quota.doubt(since: loss) }
      quota.dropDead(now: now) { row.isAlive($0) }
      let result = body(&quota, now)
      // Those who only look do not disturb those who change it.
      if quota.bytes != before { row.bytes = quota.bytes }
      return (result, quota)
    }
  }
}

extension Quota {
  /// What is known of a quota before anybody has been asked.
  ///
  /// - Parameters:
  ///   - api: Who keeps it.
  ///   - form: What is asked in.
  ///   - rate: The rate that is set in place of the published one, if any.
  init(of api: any RemoteAPI, _ form: RequestForm, rate: Allowance?) {
    self.init(
      allowance: rate ?? api.allowance(of: form),
      isFirm: rate != nil || !api.isMirror
    )
  }
}

extension ClockReading {
  /// What the clocks of a ledger show.
  init(_ time: LedgerTime) { self.init(steady: time.now, boot: time.run, wall: time.wall) }
}
