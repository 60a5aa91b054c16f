/// The readings of the machine's clocks at one moment.
public struct ClockReading: Sendable, Equatable {
  /// The time since the machine was booted.
  public var steady: Duration

  /// The identifier of that boot; 0 if unknown.
  public var boot: UInt64

  /// The time since 1970 UTC, by a clock that can be set.
  public var wall: Duration

  /// Creates a reading.
  public init(steady: Duration, boot: UInt64, wall: Duration) {
    (self.steady, self.boot, self.wall) = (steady, boot, wall)
  }

  /// The duration to add to moments of the steady clock from an earlier reading; on request, and
  /// always across a reboot, the wall clock determines the elapsed time.
  func shift(since earlier: ClockReading, byWall isByWall: Bool) -> Duration {
    let isSameStart = boot != 0 && boot == earlier.boot
    guard isByWall || !isSameStart else { return .zero }
    // A clock that was set back does not show the elapsed time.
    let passed = max(.zero, wall - earlier.wall)
    let shift = steady - earlier.steady - passed
    // Small differences are due to clock adjustments.
    return isSameStart && abs(shift) < .seconds(2) ? .zero : shift
  }

  func append(to words: inout [Int64]) {
    words += [steady.nanoseconds, Int64(bitPattern: boot), wall.nanoseconds]
  }

  init?(from words: inout WordReader) {
    steady = words.nextDuration()
    boot = UInt64(bitPattern: words.next())
    wall = words.nextDuration()
    guard words.isSound else { return nil }
  }
}

func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }

extension Quota {
  /// Longer windows and pauses than this are days and months, which end by the wall clock.
  private static let long = Duration.seconds(3600)

  /// The latest moment in the state.
  private var horizon: Duration {
    var last = max(lostUntil, pausedUntil ?? lostUntil)
    if case .open(let end) = phase { last = max(last, end.latest) }
    return last
  }

  /// Whether it contains days or months.
  func isLong(at now: Duration) -> Bool { horizon - now > Self.long }

  /// Cuts durations longer than accepted from the provider, which another version or a changed
  /// clock may have caused; returns whether any was cut by more than clocks differ.
  mutating func confine(
    writtenAt moment: Duration,
    wall: Duration,
    _ reading: ClockReading
  ) -> Bool {
    let longest = believableWait.longest(at: wall)
    let limit = min(moment + longest, reading.steady + believableWait.longest(at: reading.wall))
    let isCut = horizon - limit > .seconds(1)
    lostUntil = min(lostUntil, limit)
    pausedUntil = pausedUntil.map { min($0, limit) }
    if case .open(let end) = phase {
      phase = .open(WindowEnd(earliest: min(end.earliest, limit), latest: min(end.latest, limit)))
    }
    if isLearnt { allowance = allowance?.lasting(atMost: longest) }
    shown = shown?.lasting(atMost: longest)
    return isCut
  }

  /// Moves all moments.
  mutating func shift(by shift: Duration) {
    guard shift != .zero else { return }
    lostUntil += shift
    pausedUntil = pausedUntil.map { $0 + shift }
    if case .open(let end) = phase {
      phase = .open(WindowEnd(earliest: end.earliest + shift, latest: end.latest + shift))
    }
  }
}
