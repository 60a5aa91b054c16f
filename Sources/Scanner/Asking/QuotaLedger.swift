import Providers
import Records
import Store
import System

/// The quota of one provider and key, in the ledger that all processes of the machine share.
struct QuotaLedger: Sendable {
  private let store: Store
  private let key: String

  /// - Parameters:
  ///   - store: Where the ledger is kept.
  ///   - api: Who keeps the quota.
  ///   - form: What is asked in; each form has windows of its own.
  init(_ store: Store, of api: any RemoteAPI, _ form: RequestForm) {
    self.store = store
    // A hash tells two keys apart, and nobody the key.
    var hash = Checksum()
    hash.update(Array((api.credential ?? "").utf8).span)
    let account = api.isFree ? "free" : String(hash.value, radix: 16)
    key = "\(api.source.name) \(api.base.text) \(form) \(account)"
  }

  /// Who holds the tickets that are taken here.
  var holder: UInt64 { store.holder }

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
    await store.update(key) { row in
      let now = ContinuousClock.now.sinceBoot
      var quota = SharedQuota(bytes: row.bytes, start: start, boot: Boot.id)
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
