public import Summary

/// What is counted for a summary.
public struct SummaryRules: Sendable {
  /// Whether every input is read as a log, whatever it holds.
  public var isLog = false
  /// The zone of times that do not tell theirs, and of the timeline.
  public var zone = TimeZoneRules.utc
  /// Lines before this moment are left out, in milliseconds since 1970 UTC, and so are lines without
  /// a time; `nil` for no bound.
  public var since: Int64?
  /// Lines from this moment on are left out, and so are lines without a time; `nil` for no bound.
  public var until: Int64?

  /// Makes the default rules.
  public init() {}

  /// Whether a line of a log is counted that has a time, in milliseconds since 1970 UTC, or none.
  func admits(_ time: Int64?) -> Bool {
    guard since != nil || until != nil else { return true }
    guard let time else { return false }
    return time >= since ?? .min && time < until ?? .max
  }
}
