/// A time in which an endpoint was in one state, as all who watched it together saw it.
///
/// All times are milliseconds.
package struct WatchedStretch: Sendable, Equatable {
  package var endpoint: String
  package var state: WatchedState

  /// The first cause, and the interface at the beginning.
  package var cause: String?
  package var interface: String?

  /// The beginning since 1970 UTC.
  package var start: Int64

  /// By a clock that does not jump.
  package var length: Int64

  /// Whether nobody saw the end: it is at the last sign of life.
  package var isEstimated = false

  /// Whether it goes on.
  package var isOngoing = false

  /// ``start`` and ``length``, whatever the wall clock then said.
  package var end: Int64 { start + length }

  /// The part within a span.
  func clipped(to span: Range<Int64>) -> Range<Int64> { (start..<end).clamped(to: span) }
}

extension WatchedStretch {
  /// What several programs saw, joined: of different states at the same time the worst counts.
  static func all(of runs: [WatchedRun]) -> [WatchedStretch] {
    struct Clock: Hashable {
      let endpoint: String
      let boot: Int64
    }
    let groups = Dictionary(grouping: runs) { Clock(endpoint: $0.endpoint, boot: $0.boot) }
    return groups.values.flatMap(joined).sorted { left, right in
      (left.start, left.endpoint, left.length) < (right.start, right.endpoint, right.length)
    }
  }

  /// The stretches of runs of one endpoint on one clock.
  private static func joined(_ runs: [WatchedRun]) -> [WatchedStretch] {
    let waiting = runs.sorted { ($0.begin, $0.id) < ($1.begin, $1.id) }
    let moments = Set(runs.flatMap { [$0.begin, $0.end] }).sorted()
    var (stretches, active, next): ([WatchedStretch], [WatchedRun], Int) = ([], [], 0)
    /// Where the last stretch ends on the clock of the runs.
    var last: Int64?
    for (moment, following) in zip(moments, moments.dropFirst()) {
      active.removeAll { $0.end <= moment }
      while next < waiting.count, waiting[next].begin <= moment {
        active.append(waiting[next])
        next += 1
      }
      guard let worst = active.map(\.state).max() else { continue }
      let part = WatchedStretch(active.filter { $0.state == worst }, from: moment, to: following)
      if last == moment, stretches.last?.state == worst {
        stretches[stretches.count - 1].append(part)
      } else {
        stretches.append(part)
      }
      last = following
    }
    return stretches
  }

  /// The part of runs in the same state, at least one, between two neighbouring ends of any.
  private init(_ runs: [WatchedRun], from moment: Int64, to following: Int64) {
    let first = runs[0]
    self.init(
      endpoint: first.endpoint,
      state: first.state,
      cause: first.cause,
      interface: first.interface,
      start: first.wall + moment - first.begin,
      length: following - moment,
      isEstimated: !runs.contains { $0.end > following || $0.isOver || $0.isOngoing },
      isOngoing: runs.contains { $0.end == following && $0.isOngoing }
    )
  }

  private mutating func append(_ part: WatchedStretch) {
    length += part.length
    (isEstimated, isOngoing) = (part.isEstimated, part.isOngoing)
  }
}
