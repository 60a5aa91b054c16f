/// How far the clocks of a time zone are ahead of UTC, and when that changes.
///
/// Made of a file of the IANA time zone database in its compiled form, TZif (RFC 8536).
public struct TimeZoneRules: Sendable, Equatable {
  /// A time in which the clocks are ahead of UTC by the same.
  struct Stretch: Sendable, Equatable {
    /// When it begins and ends, in seconds since 1970 UTC.
    var range: Range<Int64>
    /// The seconds that are to be added to UTC.
    var offset: Int64
  }

  /// The name of the zone.
  public let name: String

  /// All of them, in order, without gaps.
  private let stretches: [Stretch]

  /// Coordinated universal time.
  public static let utc = TimeZoneRules(name: "UTC", changes: [], initial: 0)

  /// Makes a zone of what a file of the database holds.
  ///
  /// - Parameters:
  ///   - name: The name of the zone.
  ///   - file: The file; `nil` comes of one that is no TZif.
  public init?(name: String, file: Span<UInt8>) {
    guard let content = TimeZoneFile(file) else { return nil }
    self.init(name: name, changes: content.changes, initial: content.initial)
  }

  init(name: String, changes: [TimeZoneFile.Change], initial: Int64) {
    self.name = name
    var stretches: [Stretch] = []
    var (start, offset) = (Int64.min, initial)
    for change in changes where change.at > start && change.offset != offset {
      stretches.append(Stretch(range: start..<change.at, offset: offset))
      (start, offset) = (change.at, change.offset)
    }
    stretches.append(Stretch(range: start..<Int64.max, offset: offset))
    self.stretches = stretches
  }

  /// Whether its clocks have always shown universal time.
  var isUTC: Bool { stretches.count == 1 && stretches[0].offset == 0 }

  /// The stretch that a moment lies in, given in seconds since 1970 UTC.
  func stretch(at moment: Int64) -> Stretch { stretches[position(of: moment)] }

  /// The moment at which the clocks show a time.
  ///
  /// Of two moments it is the first one; a time that is skipped counts as if the clocks had not been
  /// changed yet (as in Python's `zoneinfo` with `fold=0`, PEP 495).
  /// - Parameter local: What the clocks show, as seconds since 1970-01-01 00:00 there.
  /// - Returns: The seconds since 1970 UTC.
  func moment(at local: Int64) -> Int64 {
    // No clock is further ahead or behind than a day.
    var index = position(of: local - secondsOfDay)
    let first = local - stretches[index].offset
    while index < stretches.count, stretches[index].range.lowerBound <= local + secondsOfDay {
      let moment = local - stretches[index].offset
      if stretches[index].range.contains(moment) { return moment }
      // It is skipped by the change to the next stretch.
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
