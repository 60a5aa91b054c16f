public import SondeSystem

/// The number of hits in each hour of a time zone.
public struct Timeline: Sendable {
  /// The time zone.
  public let zone: TimeZoneRules

  /// The first and the last hit, in milliseconds since 1970 UTC.
  private(set) var range: ClosedRange<Int64>?
  /// The hits per hour, by its first second since 1970 UTC.
  private var hours: [Int64: Int] = [:]
  /// The range of the last hour without a clock change, and its hits.
  private var current: Range<Int64> = 0..<0
  private var currentStart: Int64 = 0
  private var currentHits = 0

  /// Creates an empty timeline.
  public init(zone: TimeZoneRules) { self.zone = zone }

  /// Counts hits, at least one, at a time in milliseconds since 1970 UTC.
  @inline(__always)
  public mutating func count(_ hits: Int, at time: Int64) {
    let (first, last) = (range?.lowerBound ?? time, range?.upperBound ?? time)
    range = min(first, time)...max(last, time)
    if !current.contains(time) { turn(to: time.dividedDown(by: 1000)) }
    currentHits &+= hits
  }

  /// The hour of a moment in milliseconds since 1970 UTC, as its first second since 1970 UTC.
  public mutating func hour(of time: Int64) -> Int64 {
    if !current.contains(time) { turn(to: time.dividedDown(by: 1000)) }
    return currentStart
  }

  /// Counts hits of one hour, at least one; `times` are in milliseconds since 1970 UTC.
  public mutating func count(_ hits: Int, at times: ClosedRange<Int64>) {
    count(hits, at: times.lowerBound)
    range = range.map { $0.lowerBound...max($0.upperBound, times.upperBound) }
  }

  /// Adds the counts of another timeline of the same zone.
  public mutating func add(_ other: Timeline) {
    guard let added = other.range else { return }
    let known = range ?? added
    let first = min(known.lowerBound, added.lowerBound)
    range = first...max(known.upperBound, added.upperBound)
    for (start, hits) in other.counted { hours[start, default: 0] += hits }
  }

  /// The hits per hour, by its first second since 1970 UTC.
  var counted: [Int64: Int] {
    guard currentHits > 0 else { return hours }
    return hours.merging([currentStart: currentHits], uniquingKeysWith: +)
  }

  private mutating func turn(to moment: Int64) {
    if currentHits > 0 { hours[currentStart, default: 0] += currentHits }
    let stretch = zone.stretch(at: moment)
    currentStart = Self.hour(of: moment, ahead: stretch.offset)
    currentHits = 0
    let hour = (currentStart..<currentStart + 3600).clamped(to: stretch.range)
    current = hour.lowerBound * 1000..<hour.upperBound * 1000
  }

  /// The first second of a moment's hour, by clocks with an offset from UTC.
  private static func hour(of moment: Int64, ahead offset: Int64) -> Int64 {
    (moment + offset).dividedDown(by: 3600) * 3600 - offset
  }

  func hour(behind start: Int64) -> Int64 {
    let end = start + 3600
    // A clock change within an hour starts a new one.
    return max(start + 1, Self.hour(of: end, ahead: zone.stretch(at: end).offset))
  }

  /// The day of a moment in the zone, since 1970-01-01.
  func day(of moment: Int64) -> Int64 {
    (moment + zone.stretch(at: moment).offset).dividedDown(by: secondsOfDay)
  }
}
