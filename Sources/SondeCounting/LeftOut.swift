/// What a summary did not count, because only lines of some time, or only what meets a condition, are
/// wanted.
public struct LeftOut: Sendable {
  /// Records, which have no time.
  public internal(set) var records = 0
  /// Hits in lines without a time.
  public internal(set) var timeless = 0
  /// Hits before the time.
  public internal(set) var early = 0
  /// Hits behind it.
  public internal(set) var late = 0
  /// Hits and records that do not meet the condition.
  public internal(set) var excluded = 0
  /// The last time of these hits, in milliseconds since 1970 UTC; `nil` where there are none.
  public internal(set) var last: Int64?

  /// Notes hits that are left out.
  ///
  /// - Parameters:
  ///   - count: How many they are.
  ///   - time: Their time; `nil` where they have none.
  ///   - rules: By which they are left out.
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
