/// A moment on the two clocks that tell an answer's age.
struct Moment: Sendable, Equatable {
  /// Seconds since 1970 UTC, by a clock that anybody may set.
  var seconds: Int64

  /// Milliseconds since the machine was started, its sleep included (`CLOCK_BOOTTIME`).
  var uptime: Int64

  /// Which start of the machine that was; 0 where it cannot be told.
  var boot: Int64
}

extension Moment {
  /// The age of an answer that came at an earlier moment; `nil` where that lies in the future.
  ///
  /// It is the longer of the ages by the two clocks, so that a clock that was set back makes nothing
  /// younger. Uptime counts only within one run of the machine, where nothing can lie in the future.
  func age(of earlier: Moment) -> Duration? {
    let (seconds, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    guard !overflow else { return nil }
    guard boot != 0, boot == earlier.boot else { return seconds < 0 ? nil : .seconds(seconds) }
    let (elapsed, wrapped) = uptime.subtractingReportingOverflow(earlier.uptime)
    guard !wrapped, elapsed >= 0 else { return nil }
    return max(.seconds(seconds), .milliseconds(elapsed))
  }

  /// Whether an answer that came at an earlier moment may still be used.
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
