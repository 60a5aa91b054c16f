/// The input that did not count, because of its time or a condition.
package struct LeftOut: Sendable {
  /// The number of records, which have no time.
  package var records = 0
  /// The number of hits in lines without a time.
  package var timeless = 0
  /// The number of hits before the period.
  package var early = 0
  /// The number of hits after the period.
  package var late = 0
  /// The number of hits and records that do not meet the condition.
  package var excluded = 0
  /// The last time of these hits, in milliseconds since 1970 UTC; `nil` if there is none.
  package var last: Int64?

  package init() {}

  /// Whether all counted.
  package var isEmpty: Bool { records + timeless + early + late + excluded == 0 }

  /// Counts hits outside a period that begins at `since`.
  ///
  /// Times are in milliseconds since 1970 UTC; `time` is `nil` if the hits have none.
  package mutating func note(_ count: Int, at time: Int64?, since: Int64?) {
    guard count > 0 else { return }
    guard let time else {
      timeless += count
      return
    }
    if time < since ?? .min { early += count } else { late += count }
    last = max(last ?? time, time)
  }

  /// Counts a record outside a period; the parameters are those of ``note(_:at:since:)``.
  package mutating func note(recordAt time: Int64?, since: Int64?) {
    if time == nil { records += 1 } else { note(1, at: time, since: since) }
  }

  package static func += (left: inout LeftOut, right: LeftOut) {
    left.records += right.records
    left.timeless += right.timeless
    left.early += right.early
    left.late += right.late
    left.excluded += right.excluded
    left.last = [left.last, right.last].compactMap(\.self).max()
  }
}
