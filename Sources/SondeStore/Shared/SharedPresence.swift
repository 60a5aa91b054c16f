/// Whether the server that machines share is there, and when to look for it: a pure value.
///
/// A loss soon after a return continues the same outage, which is not reported again.
struct SharedPresence: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// A loss within this time after a return continues the outage.
  static let grace = Duration.seconds(10)

  /// The bounds of the time between two looks for the return; where it comes and goes, up to
  /// ``longestPause``.
  private static let pauses = Duration.milliseconds(100)...(.milliseconds(500))
  private static let longestPause = Duration.seconds(4)

  /// Why the server cannot be used; `nil` while it can, or nobody has tried.
  private(set) var outage: LedgerOutage?

  /// The loss that seems to be over, and since when.
  private var returned: (loss: LedgerOutage, at: Instant)?
  /// The losses in a row that came soon after a return.
  private var relapses = 0
  /// The looks for the return since the loss.
  private var looks = 0

  /// Notes that the server is gone.
  ///
  /// - Returns: Whether that is new.
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

  /// Notes that the server can be used again.
  mutating func find(now: Instant) {
    returned = outage.map { ($0, now) } ?? returned
    outage = nil
  }

  /// How long to wait before the next look for the return.
  mutating func nextPause() -> Duration {
    defer { looks += 1 }
    let usual = min(Self.pauses.lowerBound * (1 << min(looks, 8)), Self.pauses.upperBound)
    guard relapses > 0 else { return usual }
    return min(Self.pauses.upperBound * (1 << min(relapses, 8)), Self.longestPause)
  }
}
