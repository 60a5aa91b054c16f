import SondeRecords
import SondeSystem

/// Finds for each line the period of the answers about its addresses.
struct LineDating: Sendable {
  private let periods: BuildPeriods
  private let parser: LineTimeParser
  private var clock: LineClock
  /// The time that holds before the first line, in milliseconds since 1970 UTC; `nil` for none.
  private var earlier: Int64?

  /// Starts at the first line of an input.
  init(_ periods: BuildPeriods, _ zone: TimeZoneRules) {
    self.periods = periods
    // Followed logs continue, and times without a year are not in the future.
    parser = LineTimeParser(zone: zone)
    clock = LineClock(parser, from: 0)
  }

  /// The period of a line by its start, not before that of the previous one.
  mutating func period(ofLineIn bytes: [UInt8], at start: Int) -> BuildPeriod {
    periods.period(of: clock.time(in: bytes.span, from: start) ?? earlier)
  }

  /// Continues behind a block of whole lines.
  mutating func pass(_ bytes: [UInt8]) {
    earlier = clock.time(atEndOf: bytes.span) ?? earlier
    clock = LineClock(parser, from: 0)
  }
}
