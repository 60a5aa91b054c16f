import SondeSystem

/// The age of a waiting alert, by a clock that is never set.
struct AlertAge: Sendable, Equatable {
  /// When an alert is dropped.
  static let limit = Duration.seconds(7 * 86_400)

  /// The beginning of 2026 UTC: a machine without a clock starts in 1970, so an earlier time says
  /// nothing.
  private static let plausible = Duration.seconds(1_767_225_600)

  private let beginning: Duration

  /// The age of an alert that is raised now; times are those of ``Clocks/steady``.
  init(raisedAt steady: Duration) { beginning = steady }

  /// The age of an alert that an earlier run has written, at `written` by the machine's clock, which
  /// now says `wall`.
  init(written: Duration, wall: Duration, steady: Duration) {
    beginning = steady - (written < Self.plausible ? .zero : max(.zero, wall - written))
  }

  /// The age at a time of ``Clocks/steady``.
  func age(at steady: Duration) -> Duration { steady - beginning }

  /// Whether the alert is to be dropped.
  func isOver(at steady: Duration) -> Bool { age(at: steady) > Self.limit }
}

/// Notices that the machine's clock was set: a pure value.
struct ClockWatch: Sendable {
  private static let tolerance = Duration.seconds(2)
  private var offset: Duration

  init(wall: Duration, steady: Duration) { offset = wall - steady }

  /// Whether the clock was set since the last call.
  mutating func wasSet(wall: Duration, steady: Duration) -> Bool {
    let difference = wall - steady - offset
    guard difference > Self.tolerance || difference < .zero - Self.tolerance else { return false }
    offset = wall - steady
    return true
  }
}
