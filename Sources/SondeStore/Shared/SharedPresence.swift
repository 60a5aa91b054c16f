import SondeSystem

/// The availability of the shared server, and the schedule of reconnection attempts: a pure value.
///
/// A loss soon after a return continues the same outage, which is not reported again.
struct SharedPresence: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// A loss within this time after a return continues the outage.
  static let grace = Duration.seconds(10)

  /// The pauses between two attempts, and those while the server comes and goes.
  private static let usual = Backoff(base: .milliseconds(100), longest: .milliseconds(500))
  private static let flapping = Backoff(base: .milliseconds(500), longest: .seconds(4))

  /// Why the server is unusable; `nil` if it is usable or untested.
  private(set) var outage: LedgerOutage?

  /// The outage that seems to be over, and since when.
  private var returned: (loss: LedgerOutage, at: Instant)?
  /// The number of consecutive losses soon after a return.
  private var relapses = 0
  /// The number of attempts since the loss.
  private var looks = 0

  /// Records a loss; returns whether it is new.
  mutating func lose(_ loss: LedgerOutage, now: Instant) -> Bool {
    guard outage == nil else { return false }
    looks = 0
    if let returned, now - returned.at < Self.grace {
      relapses += 1
      outage = loss.continuing(returned.loss)
    } else {
      relapses = 0
      outage = loss
    }
    return true
  }

  /// Records that the server is usable again.
  mutating func find(now: Instant) {
    returned = outage.map { ($0, now) } ?? returned
    outage = nil
  }

  mutating func nextPause() -> Duration {
    defer { looks += 1 }
    return relapses > 0 ? Self.flapping.bound(after: relapses) : Self.usual.bound(after: looks)
  }
}
