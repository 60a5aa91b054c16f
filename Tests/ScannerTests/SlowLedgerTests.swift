import SondeProviders
import SondeStore
import Synchronization
import TestSupport
import Testing

@testable import SondeAsking

/// A ledger that makes nobody wait whose task is cancelled, as one on a server far away does.
private final class SlowLedger: QuotaLedger {
  private let base: Ledger
  private let bell = Bell()
  private let counts = Mutex((begun: 0, changed: 0))

  init(folder: String) { base = Ledger(folder: folder) { _ in } }

  var holder: UInt64 { base.holder }
  var now: Duration { base.now }
  var begun: Int { counts.withLock(\.begun) }
  var changed: Int { counts.withLock(\.changed) }

  func row(of account: String) async -> LedgerRow? { await base.row(of: account) }

  func records() async throws(LedgerFault) -> [LedgerRecord] { try await base.records() }

  func change<R: Sendable>(
    _ key: LedgerKey,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R> {
    await base.change(key, body)
  }

  func close() async { await base.close() }

  func release() { bell.ring() }

  func update<R: Sendable>(
    _ account: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R> {
    counts.withLock { $0.begun += 1 }
    guard (try? await bell.wait(after: 0, until: nil)) != nil else { return .cancelled }
    counts.withLock { $0.changed += 1 }
    return await base.update(account, body)
  }
}

@Suite struct SlowLedgerTests {
  @Test(.timeLimit(.minutes(1)))
  func `a change goes on when its task is cancelled, and is made once`() async throws {
    let folder = try ScratchFolder()
    let ledger = SlowLedger(folder: folder.path)
    let quota = Quota(allowance: Allowance(requests: 2, per: .seconds(60)))
    let account = QuotaAccount(ledger, of: Registry.regional[0], at: nil)
    let gate = QuotaGate(quota: quota, ledger: account, AskingRules()) { _, _ in }
    let asking = Task { await gate.acquireAtOnce() }
    while ledger.begun < 1 { try await Task.sleep(for: .milliseconds(1)) }
    asking.cancel()
    ledger.release()
    let ticket = try #require(await asking.value)
    await gate.settle(ticket, .lost)
    #expect(ledger.begun == 2 && ledger.changed == 2)
    await ledger.close()
  }
}
