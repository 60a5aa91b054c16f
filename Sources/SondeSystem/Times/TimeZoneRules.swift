/// The offset of a time zone from UTC, and its changes.
public struct TimeZoneRules: Sendable, Equatable {
  /// A period with a constant offset.
  package struct Stretch: Sendable, Equatable {
    /// The period, in seconds since 1970 UTC.
    package var range: Range<Int64>
    /// The offset from UTC in seconds.
    package var offset: Int64
  }

  /// The name of the zone.
  public let name: String

  /// All periods in order, without gaps.
  private let stretches: [Stretch]

  /// Coordinated universal time.
  public static let utc = TimeZoneRules(name: "UTC", changes: [])

  /// Finds a zone of the IANA time zone database; `nil` if there is none of this name.
  public init?(_ name: String) {
    guard let changes = TimeZoneDatabase.changes(of: name) else { return nil }
    self.init(name: name, changes: changes)
  }

  private init(name: String, changes: [TimeZoneDatabase.Change]) {
    self.name = name
    var stretches: [Stretch] = []
    var (start, offset) = (Int64.min, changes.first?.offset ?? 0)
    for change in changes.dropFirst() {
      stretches.append(Stretch(range: start..<change.at, offset: offset))
      (start, offset) = (change.at, change.offset)
    }
    stretches.append(Stretch(range: start..<Int64.max, offset: offset))
    self.stretches = stretches
  }

  /// Whether it has always been universal time.
  package var isUTC: Bool { stretches.count == 1 && stretches[0].offset == 0 }

  /// The period of a moment, given in seconds since 1970 UTC.
  package func stretch(at moment: Int64) -> Stretch { stretches[position(of: moment)] }

  /// The moment, in seconds since 1970 UTC, of a local time, in seconds since 1970-01-01 00:00.
  ///
  /// Of two moments the first one is returned; a skipped time is interpreted by the offset before
  /// the change (as in Python's `zoneinfo` with `fold=0`, PEP 495).
  package func moment(at local: Int64) -> Int64 {
    // No offset exceeds a day.
    var index = position(of: local - secondsOfDay)
    let first = local - stretches[index].offset
    while index < stretches.count, stretches[index].range.lowerBound <= local + secondsOfDay {
      let moment = local - stretches[index].offset
      if stretches[index].range.contains(moment) { return moment }
      // It is skipped by the change to the next period.
      if index + 1 < stretches.count, moment >= stretches[index].range.upperBound,
        local - stretches[index + 1].offset < stretches[index + 1].range.lowerBound
      {
        return moment
      }
      index += 1
    }
    return first
  }

  private func position(of moment: Int64) -> Int {
    var (low, high) = (0, stretches.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if moment < stretches[middle].range.upperBound { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
