import Glibc
import SondeRedis
import SondeSystem
import Synchronization

/// The ledger of quotas on a server that any number of machines share.
///
/// A change is made on a copy of the row, and sent with what the copy was: the server takes it if the
/// row still is that, else tells what it is now, and the change is made again. Mostly that is one round
/// trip. Nobody sees a process of another machine die: a request that is not settled counts as spent
/// after a while, as does one whose process hangs.
final class SharedLedger: QuotaLedger {
  /// How long a change is tried, against however many who change the row meanwhile.
  static let patience = Duration.seconds(2)
  /// The bounds of the pause while another has its turn, in microseconds; each is twice the last.
  private static let pauses: ClosedRange<UInt32> = 1000...16_000

  /// What is known of an account.
  private struct Account {
    let salt: [UInt8]
    let key: [UInt8]
    /// The row as it was last; `nil` before it was looked up.
    var row: [UInt8]?
    /// When those who know more than an emptied server have told it, if it is one.
    var quietUntil: Duration?
    /// What the next change is made on instead, where the row is a change whose end nobody here has
    /// heard of: that is undone.
    var former: [UInt8]?
    /// The changes that were sent since, and that may have been made or not.
    var unsure: [[UInt8]] = []
    /// How long the next pause is at the most, in microseconds.
    var pause = SharedLedger.pauses.lowerBound
    /// When the row was made that this process has seen.
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

  /// A quarter of the time in which an emptied server is left alone by those who know nothing.
  var lookInterval: Duration? { .milliseconds(250) }

  func update<R: Sendable>(
    _ account: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R> {
    let result = await link.perform { [self] session throws(RedisError) in
      // Calls on the link come one after the other.
      var known = accounts.withLock { $0[account] }
      defer {
        let latest = known
        accounts.withLock { $0[account] = latest }
      }
      // Whether there is still none is for the server to say: it may have been emptied since.
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

  /// A row as it is given to who looks at it or changes it.
  ///
  /// - Parameters:
  ///   - row: What the server has; `nil` where there is none.
  ///   - run: The server's present run.
  ///   - born: When the row was made that this process has seen; `nil` where it has seen none.
  ///   - quiet: When those who know more than an emptied server have told it; `nil` where it is none.
  /// - Returns: The row.
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

  /// Names an account.
  ///
  /// - Throws: ``RedisError`` where memory is short.
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

  /// Makes the change once.
  ///
  /// - Returns: What the body returned; `nil` where the row was not what it was taken for.
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
    // The account is named anew.
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
