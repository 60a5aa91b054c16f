import Glibc
import SondeRedis
import SondeSystem
import Synchronization

/// The ledger of quotas on a server shared by any number of machines.
///
/// A change is made on a copy of the row and sent with the former row: the server accepts it if the
/// row is still the same; otherwise it returns the current row, and the change is repeated. This
/// usually takes one round trip. The end of a process on another machine cannot be detected, so a
/// request that is not settled counts as spent after a while, like that of a hanging process.
final class SharedLedger: QuotaLedger {
  /// How long a change is retried while others change the row.
  static let patience = Duration.seconds(2)
  /// The bounds of the pause during another process's turn, in microseconds; it is doubled each
  /// time.
  private static let pauses: ClosedRange<UInt32> = 1000...16_000

  private struct Account {
    let salt: [UInt8]
    let key: [UInt8]
    /// The last known row; `nil` before it was read.
    var row: [UInt8]?
    /// Until when others may restore an emptied server, if it is one.
    var quietUntil: Duration?
    /// The state before a change of unknown outcome; if the row turns out to be changed, the next
    /// change is based on this.
    var former: [UInt8]?
    /// The changes sent since, of unknown outcome.
    var unsure: [[UInt8]] = []
    /// The upper bound of the next pause in microseconds.
    var pause = SharedLedger.pauses.lowerBound
    /// The creation time of the row that this process has seen.
    var born: Duration?
  }

  let link: SharedLink
  private let accounts = Mutex<[String: Account]>([:])

  let holder = UInt64.random(in: 1..<1 << 62)

  init(on link: SharedLink) { self.link = link }

  var now: Duration { link.now }

  var outage: LedgerOutage? { link.outage }

  func outages() -> AsyncStream<LedgerOutage?> { link.outages() }

  func look() async -> LedgerOutage? { await link.look() }

  func close() async { await link.close() }

  /// A quarter of the time for which new clients wait after a server was emptied.
  var lookInterval: Duration? { .milliseconds(250) }

  func update<R: Sendable>(
    _ account: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R> {
    let result = await link.perform { [self] session throws(RedisError) in
      // Calls on the link are sequential.
      var known = accounts.withLock { $0[account] }
      defer {
        let latest = known
        accounts.withLock { $0[account] = latest }
      }
      // Only the server knows whether there is still none: it may have been emptied since.
      if known?.row == [] { known?.row = nil }
      let end = ContinuousClock.now + Self.patience
      while ContinuousClock.now < end {
        if known?.salt != session.salt {
          known = try Self.account(account, session.salt, born: known?.born)
        }
        if let result = try attempt(&known, session, body) { return result }
      }
      throw RedisError(.unreachable, "others change the same row all the time")
    }
    return result.update
  }

  func row(of account: String) async -> LedgerRow? {
    await link.perform { [self] session throws(RedisError) in
      var known = accounts.withLock { $0[account] }
      if known?.salt != session.salt {
        known = try Self.account(account, session.salt, born: known?.born)
      }
      let bytes = try known.flatMap { known throws(RedisError) in
        try session.send([[Array("GET".utf8), known.key]])[0].bytes
      }
      return row(SharedRow(bytes ?? []), session.run, lastSeen: known?.born)
    }.result
  }

  /// A row for its readers and writers; `born` is the creation time of the row that this process
  /// has seen, and `quiet` is until when others may restore an emptied server.
  func row(
    _ row: SharedRow?,
    _ run: UInt64,
    lastSeen born: Duration?,
    quietUntil quiet: Duration? = nil
  ) -> LedgerRow {
    let now = link.now
    return LedgerRow(
      bytes: row?.state ?? [],
      time: LedgerTime(now: now, lag: link.lag, run: run, wall: now),
      lost: SharedRow.loss(of: row, seen: born, run: run, now: now),
      quietUntil: row == nil ? quiet : nil
    ) { _ in true }
  }

  /// Names an account; fails if memory is short.
  private static func account(
    _ name: String,
    _ salt: [UInt8],
    born: Duration?
  ) throws(RedisError) -> Account {
    guard let hash = stretchedHash(of: Array(name.utf8), salt: salt) else {
      throw RedisError(.unusable, "memory is short")
    }
    return Account(salt: salt, key: SharedKeys.quota(hash), row: nil, born: born)
  }

  /// Tries the change once; `nil` if the row was not as expected.
  private func attempt<R>(
    _ account: inout Account?,
    _ session: SharedSession,
    _ body: (inout LedgerRow) -> R
  ) throws(RedisError) -> R? {
    guard let known = account else { return nil }
    var changed: (row: [UInt8], result: R)?
    if let base = known.former ?? known.row {
      let made = change(base, known, session.run, body)
      account?.unsure.append(made.row)
      changed = made
    }
    let sent = Clocks.steady
    let answer = try session.exchange(known.key, expecting: known.row, for: changed?.row)
    link.learn(answer.time, sent: sent, received: Clocks.steady)
    account?.unsure = []
    account?.former = nil
    switch answer.outcome {
    case .done:
      account?.row = changed?.row
      account?.pause = Self.pauses.lowerBound
      account?.born = changed.flatMap { SharedRow($0.row)?.born }
      return changed?.result
    case .otherRow(let row, _, _) where !row.isEmpty && SharedRow(row) == nil:
      try session.discard(row, at: known.key)
      account?.row = nil
    case .otherRow(let row, let isOurTurn, let quiet):
      account?.row = row
      account?.quietUntil = quiet.map { answer.time + $0 }
      if !isOurTurn {
        usleep(.random(in: 0..<known.pause))
        account?.pause = min(2 * known.pause, Self.pauses.upperBound)
      }
      if known.unsure.contains(row) { account?.former = known.former ?? known.row }
    // The account gets a new name.
    case .otherSalt: break
    }
    return nil
  }

  /// Makes the change on a copy of the row.
  private func change<R>(
    _ bytes: [UInt8],
    _ known: Account,
    _ run: UInt64,
    _ body: (inout LedgerRow) -> R
  ) -> (row: [UInt8], result: R) {
    let former = SharedRow(bytes)
    var row = row(former, run, lastSeen: known.born, quietUntil: known.quietUntil)
    let result = body(&row)
    if row.bytes == former?.state ?? [], former.map({ $0.run == run }) ?? true {
      return (bytes, result)
    }
    if row.bytes.isEmpty { return ([], result) }
    let fresh = SharedRow(born: former?.born ?? row.time.now, run: run, state: row.bytes)
    return (fresh.bytes, result)
  }
}
