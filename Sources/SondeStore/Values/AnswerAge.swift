/// A moment on the two clocks that determine an answer's age.
struct AnswerMoment: Sendable, Equatable {
  /// Seconds since 1970 UTC, by a clock that can be set.
  var seconds: Int64

  /// Milliseconds since the machine was booted, including sleep (`CLOCK_BOOTTIME`).
  var uptime: Int64

  /// The identifier of that boot; 0 if unknown.
  var boot: Int64
}

extension AnswerMoment {
  /// The age of an answer from an earlier moment; `nil` if that is in the future.
  ///
  /// It is the greater of the ages by the two clocks, so that setting a clock back makes no answer
  /// younger. Uptime counts only within one boot, in which no moment can be in the future.
  func age(of earlier: AnswerMoment) -> Duration? {
    let (seconds, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    guard !overflow else { return nil }
    guard boot != 0, boot == earlier.boot else { return seconds < 0 ? nil : .seconds(seconds) }
    let (elapsed, wrapped) = uptime.subtractingReportingOverflow(earlier.uptime)
    guard !wrapped, elapsed >= 0 else { return nil }
    return max(.seconds(seconds), .milliseconds(elapsed))
  }

  /// Whether an answer from an earlier moment is younger than `limit`; without a limit, any answer
  /// is usable, even one of unknown age.
  func isFresh(_ earlier: AnswerMoment, youngerThan limit: Duration?) -> Bool {
    guard let limit else { return true }
    return age(of: earlier).map { $0 < limit } ?? false
  }
}
