/// A moment by the two clocks that an answer's age is judged by.
struct Moment: Sendable, Equatable {
  /// Seconds since 1970 UTC, by a clock that anybody may set.
  var seconds: Int64

  /// Milliseconds since the machine was started, its sleep included (`CLOCK_BOOTTIME`).
  var uptime: Int64

  /// Which start of the machine that was; 0 where it cannot be told.
  var boot: Int64
}

extension Moment {
  /// The age at this moment of what came at an earlier one; `nil` where that lies in the future.
  ///
  /// The longer of what the two clocks say, so that a clock set back lengthens no life. Uptime counts
  /// only within one run of the machine, and there nothing can have come later than now.
  func age(of earlier: Moment) -> Duration? {
    let (seconds, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    guard !overflow else { return nil }
    guard boot != 0, boot == earlier.boot else { return seconds < 0 ? nil : .seconds(seconds) }
    let (elapsed, wrapped) = uptime.subtractingReportingOverflow(earlier.uptime)
    guard !wrapped, elapsed >= 0 else { return nil }
    return max(.seconds(seconds), .milliseconds(elapsed))
  }

  /// Whether what came at an earlier moment may still be used.
  ///
  /// - Parameters:
  ///   - earlier: When it came.
  ///   - limit: The age at which it no longer may; `nil` for never, even if its age cannot be told.
  /// - Returns: Whether it is younger.
  func isFresh(_ earlier: Moment, youngerThan limit: Duration?) -> Bool {
    guard let limit else { return true }
    guard let age = age(of: earlier) else { return false }
    return age < limit
  }
}
