import SondeAddresses
public import SondeRecords
public import SondeSummary

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

  /// Whether the hits of logs are chosen as they are counted, and not by their slices: some by the answer,
  /// and by the line, which only the slices before tell.
  var choosesLater: Bool {
    guard let filter else { return false }
    return !filter.isDecidedEarly || filter.fields.contains(.line) || awaitedTraffic != nil
  }

  /// Counts what the addresses of captures send and receive, where somebody has to know; only a capture's
  /// end tells.
  var awaitedTraffic: Traffic? {
    guard let filter, !filter.fields.isDisjoint(with: Field.traffic) else { return nil }
    return filter.traffic
  }

  /// Whether somebody has to know the lines of a log.
  var wantsLines: Bool { filter?.fields.contains(.line) ?? false }

  /// Whether an address of a log is left out, whatever an answer says.
  ///
  /// - Parameters:
  ///   - record: Its record before anybody is asked, with its input.
  ///   - bytes: Where its zone lies.
  /// - Returns: Whether it is.
  func excludes(_ record: Record, bytes: Span<UInt8>) -> Bool {
    guard let filter else { return false }
    return filter.verdict(beforeAsking: record, bytes: bytes) == .no
  }

  /// Whether a line of a log is counted that has a time, in milliseconds since 1970 UTC, or none.
  func admits(_ time: Int64?) -> Bool {
    guard since != nil || until != nil else { return true }
    guard let time else { return false }
    return time >= since ?? .min && time < until ?? .max
  }
}
