package import SondeProviders
import SondeRecords
package import SondeStore
import SondeSystem

/// The quota of one provider and key in a shared ledger.
package struct QuotaAccount: Sendable {
  private let ledger: any QuotaLedger
  private let account: String
  private let name: QuotaName

  /// Creates the account of a web API; each form of requests has its own windows.
  package init(_ ledger: any QuotaLedger, of api: any RemoteAPI, _ form: RequestForm) {
    self.init(ledger, account: Self.account(of: api, form), QuotaName(of: api, form))
  }

  /// Creates the account of a registry, or of the mirror that is asked instead.
  package init(_ ledger: any QuotaLedger, of registry: Registry, at mirror: BaseURL?) {
    let account = "rdap \(registry.name) \(mirror?.text ?? "")"
    self.init(ledger, account: account, QuotaName(of: registry))
  }

  /// Creates the account of a web service and key, or of the mirror that is asked instead.
  package init(
    _ ledger: any QuotaLedger,
    of service: WebService,
    at mirror: BaseURL?,
    key: String?
  ) {
    let credential = key.map { "key \($0)" } ?? "free"
    let account = "service \(service.name) \(service.host) \(mirror?.text ?? "") \(credential)"
    self.init(ledger, account: account, QuotaName(of: service, hasKey: key != nil))
  }

  private init(_ ledger: any QuotaLedger, account: String, _ name: QuotaName) {
    (self.ledger, self.account, self.name) = (ledger, account, name)
  }

  /// The key of a web API's quota: the same for all who share it.
  static func account(of api: any RemoteAPI, _ form: RequestForm) -> String {
    let credential = api.isFree ? "free" : "key \(api.credential ?? "")"
    return "\(api.source.name) \(api.base.text) \(form) \(credential)"
  }

  /// The rest of the quota; `nil` if none of the window is spent, or the ledger is unavailable.
  package func rest(_ start: Quota) async -> Quota.Rest? {
    guard let row = await ledger.row(of: account) else { return nil }
    return shared(row, start).quota.rest(at: row.time.now)
  }

  /// How often to check whether the ledger has lost the quota; `nil` if it cannot.
  var lookInterval: Duration? { ledger.lookInterval }

  /// Whether the ledger has lost what this process knows was there.
  func isLost() async -> Bool { await ledger.row(of: account)?.lost != nil }

  /// The holder of tickets reserved here.
  var holder: UInt64 { ledger.holder }

  /// The time used by the quota.
  var now: Duration { ledger.now }

  /// Changes the quota atomically for all processes; `start` is the initial one of this process.
  ///
  /// Returns the result of `body` and the quota after it, or why there is no ledger.
  func change<Result: Sendable>(
    _ start: Quota,
    _ body: @escaping @Sendable (inout SharedQuota, LedgerTime) -> Result
  ) async -> LedgerUpdate<(result: Result, quota: SharedQuota)> {
    await ledger.update(account) { row in
      var quota = shared(row, start)
      quota.dropDead(now: row.time.now) { row.isAlive($0) }
      let result = body(&quota, row.time)
      // Unchanged rows are not written, so that reading does not disturb others.
      if quota.isChanged { row.bytes = quota.bytes }
      return (result, quota)
    }
  }

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
  /// Creates the initial quota; `rate` replaces the published one.
  package init(of api: any RemoteAPI, _ form: RequestForm, rate: Allowance?) {
    self.init(
      allowance: rate ?? api.allowance(of: form),
      isFirm: rate != nil || !api.isMirror,
      believing: api.believableWait
    )
  }
}

extension ClockReading {
  init(_ time: LedgerTime) { self.init(steady: time.now, boot: time.run, wall: time.wall) }
}
