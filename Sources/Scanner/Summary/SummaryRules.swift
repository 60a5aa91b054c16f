import Addresses
public import Records
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

  /// What records must be like, and the addresses of logs; `nil` for all.
  public var filter: Filter?

  /// Makes the default rules.
  public init() {}

  /// Whether an address of a log is left out.
  func excludes(_ address: Address, ofInput input: UInt32) -> Bool {
    guard let filter else { return false }
    var record = Record(address: address, status: .ok)
    record.input = input
    let none: [UInt8] = []
    return filter.verdict(beforeAsking: record, bytes: none.span) == .no
  }

  /// Why logs cannot be counted by these rules; `nil` where they can.
  var flawForLogs: String? {
    guard let filter, !filter.isDecidedEarly else { return nil }
    return
      "is a log, whose lines are counted before anybody is asked: there --where takes ip, input "
      + "and the columns of tables"
  }

  /// Whether a line of a log is counted that has a time, in milliseconds since 1970 UTC, or none.
  func admits(_ time: Int64?) -> Bool {
    guard since != nil || until != nil else { return true }
    guard let time else { return false }
    return time >= since ?? .min && time < until ?? .max
  }
}
