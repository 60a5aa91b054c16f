/// Slows those down who try passwords, links and emails out; it knows nothing of whether an account
/// exists.
///
/// After 10 failures of an account from one address, and after 30 of any kind from one address, a try
/// is refused for 1 s, and after each further failure for twice as long, up to 15 minutes. Who comes
/// from elsewhere never waits for that. Failures are forgotten an hour after the last one.
///
/// At some ten hashes a second, an hour's failures fit into what is remembered.
struct LogInThrottle: Sendable {
  /// Who tries what.
  struct Attempt: Hashable {
    /// Whose password is tried; `nil` where it is something else: to register, or to open a link.
    let account: AccountMark?
    let address: ClientAddress
  }

  /// What came of an attempt.
  enum Outcome {
    case failed, succeeded
    /// The password was not looked at.
    case abandoned
  }

  /// What to do about an attempt.
  enum Admission: Equatable {
    /// It counts as under way until ``LogInThrottle/end(_:_:_:)``.
    ///
    /// The lower its rank, the sooner its password is to be hashed.
    case admitted(rank: Int)
    /// It does not count at all.
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
  /// What came from an address or its neighbours: it makes nobody wait.
  private var networks: RecentTable<ClientAddress, Tries>
  /// Failures of an account, wherever they came from: they make nobody wait.
  private var accounts: RecentTable<AccountMark, Tries>
  /// Which accounts were logged into from where.
  private var successes: RecentTable<Attempt, Bool>

  /// - Parameter capacity: The most pairs, addresses and accounts, of each, that are remembered.
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

  /// Notes what came of an attempt that was admitted.
  mutating func end(_ attempt: Attempt, _ outcome: Outcome, _ now: Duration) {
    let failures = outcome == .failed ? 1 : outcome == .succeeded ? -failures(of: attempt, now) : 0
    // Who gets in has mistyped before; what others did from there still counts.
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

  /// How late a password of this attempt is to be hashed.
  ///
  /// First who got in from there before; then addresses without a recent failure and without another
  /// try under way, those first of whose neighbours the same is true, since who attacks often has a
  /// whole network; then the rest. Within each, first accounts without a recent failure.
  func rank(of attempt: Attempt, _ now: Duration) -> Int {
    let pair = Self.tries(of: attempt, in: pairs, now)
    if successes.find(attempt, now) != nil, pair.isClean { return 0 }
    let address = Self.tries(of: attempt.address, in: addresses, now)
    let network = Self.tries(of: attempt.address.network, in: networks, now)
    let account = attempt.account.map { Self.tries(of: $0, in: accounts, now) } ?? Tries()
    let origin = address.isClean ? network.isClean ? 0 : 2 : 4
    return 1 + origin + (account.isClean ? 0 : 1)
  }

  /// How long until the next attempt is admitted; what is under way counts as if it had failed, lest
  /// many attempts at once pass together.
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

  /// Counts; what comes to nothing is forgotten.
  private static func change<Key>(
    _ key: Key,
    in table: inout RecentTable<Key, Tries>,
    _ now: Duration,
    _ body: (inout Tries) -> Void
  ) {
    var tries = tries(of: key, in: table, now)
    body(&tries)
    // More may end than began, where a full table has forgotten it meanwhile.
    tries.failures = max(0, tries.failures)
    tries.underWay = max(0, tries.underWay)
    table.set(key, to: tries.isClean ? nil : tries, now)
  }
}

extension Duration {
  /// In whole seconds, as `Retry-After` has them (RFC 9110 §10.2.3).
  var roundedUp: Duration {
    let (seconds, rest) = components
    return .seconds(rest > 0 ? seconds + 1 : seconds)
  }
}
