/// The input that a summary did not count, because of its time or a condition.
public struct LeftOut: Sendable {
  /// The number of records, which have no time.
  public internal(set) var records = 0
  /// The number of hits in lines without a time.
  public internal(set) var timeless = 0
  /// The number of hits before the period.
  public internal(set) var early = 0
  /// The number of hits after the period.
  public internal(set) var late = 0
  /// The number of hits and records that do not meet the condition.
  public internal(set) var excluded = 0
  /// The last time of these hits, in milliseconds since 1970 UTC; `nil` if there is none.
  public internal(set) var last: Int64?

  /// Counts excluded hits; `time` is `nil` if they have none.
  mutating func note(_ count: Int, at time: Int64?, _ rules: SummaryRules) {
    guard count > 0 else { return }
    guard let time else {
      timeless += count
      return
    }
    if time < rules.since ?? .min { early += count } else { late += count }
    last = max(last ?? time, time)
  }

  static func += (left: inout LeftOut, right: LeftOut) {
    left.records += right.records
    left.timeless += right.timeless
    left.early += right.early
    left.late += right.late
    left.excluded += right.excluded
    left.last = [left.last, right.last].compactMap(\.self).max()
  }
}
