/// Delays clients that guess passwords, links and emails, independently of whether the account
/// exists.
///
/// After 10 failures of an account from one address, or 30 of any kind from one address, further
/// attempts are refused for 1 s, which each further failure doubles, up to 15 minutes. Other
/// addresses are not affected. Failures expire an hour after the last one.
///
/// At about ten hashes per second, the failures of an hour fit into the tables.
struct LogInThrottle: Sendable {
  /// The account and the address of an attempt.
  struct Attempt: Hashable {
    /// `nil` for a registration or a link.
    let account: AccountMark?
    let address: ClientAddress
  }

  /// The result of an attempt.
  enum Outcome {
    case failed, succeeded
    /// The password was not compared.
    case abandoned
  }

  /// The decision about an attempt.
  enum Admission: Equatable {
    /// Admitted, and running until ``LogInThrottle/end(_:_:_:)``; a lower rank is hashed earlier.
    case admitted(rank: Int)
    /// Refused and not counted.
    case refused(retryAfter: Duration)
  }

  private struct Tries {
    var failures = 0
    var underWay = 0
    var lastFailure = Duration.zero

    var isClean: Bool { failures == 0 && underWay == 0 }
  }

  private static let memory = Duration.seconds(3600)

  private static let mostOfPair = 10
  private static let mostOfAddress = 30
  private static let longestWait = 900

  private var pairs: RecentTable<Attempt, Tries>
  private var addresses: RecentTable<ClientAddress, Tries>
  /// Attempts per network, which only affect the order.
  private var networks: RecentTable<ClientAddress, Tries>
  /// Failures per account from all addresses, which only affect the order.
  private var accounts: RecentTable<AccountMark, Tries>
  /// Successful logins per account and address.
  private var successes: RecentTable<Attempt, Bool>

  /// - Parameter capacity: The largest number of entries in each table.
  init(capacity: Int = 65_536) {
    pairs = RecentTable(lifetime: Self.memory, capacity: capacity)
    addresses = RecentTable(lifetime: Self.memory, capacity: capacity)
    networks = RecentTable(lifetime: Self.memory, capacity: capacity)
    accounts = RecentTable(lifetime: Self.memory, capacity: capacity)
    successes = RecentTable(lifetime: .seconds(30 * 86_400), capacity: capacity)
  }

  /// Decides about an attempt before anything is hashed for it.
  mutating func admit(_ attempt: Attempt, _ now: Duration) -> Admission {
    var wait = Self.wait(
      Self.tries(of: attempt.address, in: addresses, now),
      Self.mostOfAddress,
      now
    )
    if attempt.account != nil {
      wait = max(wait, Self.wait(Self.tries(of: attempt, in: pairs, now), Self.mostOfPair, now))
    }
    guard wait <= .zero else { return .refused(retryAfter: wait.roundedUp) }
    let rank = rank(of: attempt, now)
    if attempt.account != nil { Self.change(attempt, in: &pairs, now) { $0.underWay += 1 } }
    Self.change(attempt.address, in: &addresses, now) { $0.underWay += 1 }
    Self.change(attempt.address.network, in: &networks, now) { $0.underWay += 1 }
    return .admitted(rank: rank)
  }

  mutating func end(_ attempt: Attempt, _ outcome: Outcome, _ now: Duration) {
    let failures = outcome == .failed ? 1 : outcome == .succeeded ? -failures(of: attempt, now) : 0
    // A user who succeeds has mistyped before; failures of others at the address still count.
    func count(_ tries: inout Tries) {
      tries.failures += failures
      if outcome == .failed { tries.lastFailure = now }
    }
    func end(_ tries: inout Tries) {
      count(&tries)
      tries.underWay -= 1
    }
    Self.change(attempt.address, in: &addresses, now, end)
    Self.change(attempt.address.network, in: &networks, now, end)
    guard let account = attempt.account else { return }
    Self.change(attempt, in: &pairs, now, end)
    Self.change(account, in: &accounts, now, count)
    if outcome == .succeeded { successes.set(attempt, to: true, now) }
  }

  private func failures(of attempt: Attempt, _ now: Duration) -> Int {
    attempt.account == nil ? 0 : Self.tries(of: attempt, in: pairs, now).failures
  }

  /// The order in which the password of this attempt is hashed.
  ///
  /// Accounts that have logged in from the address before come first, then addresses without a
  /// recent failure or another running attempt (those in a network without either first, since
  /// attackers often control a whole network), then the rest. Within each group, accounts without a
  /// recent failure come first.
  func rank(of attempt: Attempt, _ now: Duration) -> Int {
    let pair = Self.tries(of: attempt, in: pairs, now)
    if successes.find(attempt, now) != nil, pair.isClean { return 0 }
    let address = Self.tries(of: attempt.address, in: addresses, now)
    let network = Self.tries(of: attempt.address.network, in: networks, now)
    let account = attempt.account.map { Self.tries(of: $0, in: accounts, now) } ?? Tries()
    let origin = address.isClean ? network.isClean ? 0 : 2 : 4
    return 1 + origin + (account.isClean ? 0 : 1)
  }

  /// The time until the next attempt is admitted.
  ///
  /// Running attempts count as failed, so that many concurrent ones are not admitted together.
  private static func wait(_ tries: Tries, _ limit: Int, _ now: Duration) -> Duration {
    guard tries.failures + tries.underWay >= limit else { return .zero }
    guard tries.failures >= limit else { return .seconds(1) }
    let seconds = min(longestWait, 1 << min(tries.failures - limit, 10))
    return max(
      tries.underWay > 0 ? .seconds(1) : .zero,
      tries.lastFailure + .seconds(seconds) - now
    )
  }

  private static func tries<Key>(
    of key: Key,
    in table: RecentTable<Key, Tries>,
    _ now: Duration
  ) -> Tries {
    var tries = table.find(key, now) ?? Tries()
    if now - tries.lastFailure >= memory { tries.failures = 0 }
    return tries
  }

  private static func change<Key>(
    _ key: Key,
    in table: inout RecentTable<Key, Tries>,
    _ now: Duration,
    _ body: (inout Tries) -> Void
  ) {
    var tries = tries(of: key, in: table, now)
    body(&tries)
    // A full table may have dropped the start of an attempt that ends now.
    tries.failures = max(0, tries.failures)
    tries.underWay = max(0, tries.underWay)
    table.set(key, to: tries.isClean ? nil : tries, now)
  }
}

extension Duration {
  /// Whole seconds, as required by `Retry-After` (RFC 9110 §10.2.3).
  var roundedUp: Duration {
    let (seconds, rest) = components
    return .seconds(rest > 0 ? seconds + 1 : seconds)
  }
}
