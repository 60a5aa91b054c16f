import Providers
import Records
import Store
import System

/// The quota of one provider and key, in the ledger that all processes of a user share.
struct QuotaLedger: Sendable {
  private let ledger: Ledger
  private let account: String

  /// - Parameters:
  ///   - ledger: Where the quotas are kept.
  ///   - api: Who keeps the quota.
  ///   - form: What is asked in; each form has windows of its own.
  init(_ ledger: Ledger, of api: any RemoteAPI, _ form: RequestForm) {
    self.ledger = ledger
    let credential = api.isFree ? "free" : "key \(api.credential ?? "")"
    account = "\(api.source.name) \(api.base.text) \(form) \(credential)"
  }

  /// Who holds the tickets that are reserved here.
  var holder: UInt64 { ledger.holder }

  /// Changes the quota, atomically over all processes.
  ///
  /// - Parameters:
  ///   - start: What this process begins with where nobody knows better.
  ///   - body: Is given what all processes together know.
  /// - Returns: What `body` returned, and the quota after it; `nil` where the ledger cannot be
  ///   used, so that this process is on its own.
  func change<Result: Sendable>(
    _ start: Quota,
    _ body: @escaping @Sendable (inout SharedQuota, Duration) -> Result
  ) async -> (result: Result, quota: SharedQuota)? {
    await ledger.update(account) { row in
      let now = ContinuousClock.now.sinceBoot
      let reading = ClockReading(steady: now, boot: Boot.id, wall: Clocks.wall)
      var quota = SharedQuota(bytes: row.bytes, start: start, at: reading)
      quota.dropDead(now: now) { row.isAlive($0) }
      let result = body(&quota, now)
      row.bytes = quota.bytes
      return (result, quota)
    }
  }
}

extension ContinuousClock.Instant {
  /// The time since the machine was started, which all its processes agree about.
  var sinceBoot: Duration { ContinuousClock().systemEpoch.duration(to: self) }
}
