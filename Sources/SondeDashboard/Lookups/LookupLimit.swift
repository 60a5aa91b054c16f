import Synchronization

/// Limits the look-ups of each user that ask a provider, in any time of one length.
final class LookupLimit: Sendable {
  private let most: Int
  private let window: Duration
  private let asked = Mutex<[String: [ContinuousClock.Instant]]>([:])

  /// Allows so many within a time.
  init(_ most: Int, within window: Duration) { (self.most, self.window) = (most, window) }

  /// Counts a look-up of a user; the time to wait if it is one too many, which does not count.
  func take(of user: String, at now: ContinuousClock.Instant = .now) -> Duration? {
    asked.withLock { asked in
      var recent = (asked[user] ?? []).filter { now - $0 < window }
      defer { asked[user] = recent }
      if let first = recent.first, recent.count >= most { return window - (now - first) }
      recent.append(now)
      return nil
    }
  }

  /// Forgets users without a recent look-up.
  func tidy(at now: ContinuousClock.Instant = .now) {
    asked.withLock { asked in
      asked = asked.filter { _, times in times.last.map { now - $0 < window } ?? false }
    }
  }
}
