/// What the machine's clocks show at one moment.
public struct ClockReading: Sendable, Equatable {
  /// The time since the machine was started.
  public var steady: Duration

  /// Which start that was; 0 where it cannot be told.
  public var boot: UInt64

  /// The time since 1970 UTC, by a clock that anybody may set.
  public var wall: Duration

  /// Makes a reading.
  public init(steady: Duration, boot: UInt64, wall: Duration) {
    (self.steady, self.boot, self.wall) = (steady, boot, wall)
  }

  /// By how much moments of the steady clock, as it was at an earlier reading, are to be moved to
  /// be moments of it as it is now.
  ///
  /// - Parameters:
  ///   - earlier: When they were noted.
  ///   - isByWall: Whether the clock of the wall tells how much time has passed, as between two
  ///     starts of the machine it always does.
  /// - Returns: What to add to each of them.
  func shift(since earlier: ClockReading, byWall isByWall: Bool) -> Duration {
    let isSameStart = boot != 0 && boot == earlier.boot
    guard isByWall || !isSameStart else { return .zero }
    // A clock that was set back shows nothing of the time that has passed.
    let passed = max(.zero, wall - earlier.wall)
    let shift = steady - earlier.steady - passed
    // Clocks that are only being put right differ by little.
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

/// The length of a time, be it before or behind.
func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }

extension Quota {
  /// Windows and pauses of more than this are days and months: they end by the clock of the wall.
  private static let long = Duration.seconds(3600)

  /// The last moment that the state speaks of.
  private var horizon: Duration {
    var last = max(lostUntil, pausedUntil ?? lostUntil)
    if case .open(let end) = phase { last = max(last, end.latest) }
    return last
  }

  /// Whether it speaks of days or months.
  func isLong(at now: Duration) -> Bool { horizon - now > Self.long }

  /// Cuts whatever lasts longer than the provider is believed to make one wait: another version may have
  /// written it, or a clock may have been set.
  ///
  /// - Parameters:
  ///   - moment: When it was written.
  ///   - wall: The same by the clock of the wall.
  ///   - reading: What the clocks show now.
  /// - Returns: Whether anything was cut by more than clocks differ.
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
