package import SondeProviders
import SondeRecords
package import SondeStore
import SondeSystem

/// The quota of one provider and key, in a ledger that several processes share.
package struct QuotaAccount: Sendable {
  private let ledger: any QuotaLedger
  private let account: String
  private let name: QuotaName

  /// - Parameters:
  ///   - ledger: Where the quotas are kept.
  ///   - api: Who keeps the quota.
  ///   - form: What is asked in; each form has windows of its own.
  package init(_ ledger: any QuotaLedger, of api: any RemoteAPI, _ form: RequestForm) {
    self.init(ledger, account: Self.account(of: api, form), QuotaName(of: api, form))
  }

  /// - Parameters:
  ///   - ledger: Where the quotas are kept.
  ///   - registry: The registry that keeps the quota.
  ///   - mirror: Where it is asked instead, if anywhere.
  package init(_ ledger: any QuotaLedger, of registry: Registry, at mirror: BaseURL?) {
    let account = "rdap \(registry.name) \(mirror?.text ?? "")"
    self.init(ledger, account: account, QuotaName(of: registry))
  }

  private init(_ ledger: any QuotaLedger, account: String, _ name: QuotaName) {
    (self.ledger, self.account, self.name) = (ledger, account, name)
  }

  private static func account(of api: any RemoteAPI, _ form: RequestForm) -> String {
    let credential = api.isFree ? "free" : "key \(api.credential ?? "")"
    return "\(api.source.name) \(api.base.text) \(form) \(credential)"
  }

  /// What is left of the quota; nothing is changed.
  ///
  /// - Parameter start: What a process begins with where nobody knows better.
  /// - Returns: What is left; `nil` where nothing was spent of the window, or the ledger is gone.
  package func rest(_ start: Quota) async -> Quota.Rest? {
    guard let row = await ledger.row(of: account) else { return nil }
    return shared(row, start).quota.rest(at: row.time.now)
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
  ///   - body: Is given what all processes together know, and what time it is.
  /// - Returns: What `body` returned, and the quota after it; or why there is no ledger.
  func change<Result: Sendable>(
    _ start: Quota,
    _ body: @escaping @Sendable (inout SharedQuota, LedgerTime) -> Result
  ) async -> LedgerUpdate<(result: Result, quota: SharedQuota)> {
    await ledger.update(account) { row in
      var quota = shared(row, start)
      quota.dropDead(now: row.time.now) { row.isAlive($0) }
      let result = body(&quota, row.time)
      // Those who only look do not disturb those who change it.
      if quota.isChanged { row.bytes = quota.bytes }
      return (result, quota)
    }
  }

  /// The quota as a row has it.
  private func shared(_ row: LedgerRow, _ start: Quota) -> SharedQuota {
    var quota = SharedQuota(
      bytes: row.bytes,
      start: start,
      name: name.text,
      at: ClockReading(row.time)
    )
    quota.quietUntil = row.quietUntil
    if let loss = row.lost { quota.doubt(since: loss) }
    return quota
  }
}

extension Quota {
  /// What is known of a quota before anybody has been asked.
  ///
  /// - Parameters:
  ///   - api: Who keeps it.
  ///   - form: What is asked in.
  ///   - rate: The rate that is set in place of the published one, if any.
  package init(of api: any RemoteAPI, _ form: RequestForm, rate: Allowance?) {
    self.init(
      allowance: rate ?? api.allowance(of: form),
      isFirm: rate != nil || !api.isMirror,
      believing: api.believableWait
    )
  }
}

extension ClockReading {
  /// What the clocks of a ledger show.
  init(_ time: LedgerTime) { self.init(steady: time.now, boot: time.run, wall: time.wall) }
}
