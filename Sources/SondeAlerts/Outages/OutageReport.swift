package import SondeSystem

/// The outages of a span of time, and what was watched: a pure value made of runs.
package struct OutageReport: Sendable {
  /// The span, in milliseconds since 1970 UTC.
  package let span: Range<Int64>

  /// The zone of hours and days.
  package let zone: TimeZoneRules

  /// Everything that was watched and touches the span, in order.
  package let stretches: [WatchedStretch]

  /// A summary for each endpoint, by its name.
  package let summaries: [OutageSummary]

  /// Reckons a span.
  ///
  /// - Parameters:
  ///   - runs: What was watched, also outside the span.
  ///   - span: In milliseconds since 1970 UTC.
  ///   - zone: The zone of hours and days.
  ///   - endpoint: The only endpoint to report, as in events; `nil` for all.
  package init(
    _ runs: [WatchedRun],
    in span: Range<Int64>,
    zone: TimeZoneRules,
    endpoint: String? = nil
  ) {
    let all = WatchedStretch.all(of: runs.filter { $0.endpoint == endpoint ?? $0.endpoint })
    (self.span, self.zone) = (span, zone)
    stretches = all.filter { !$0.clipped(to: span).isEmpty }
    summaries = Dictionary(grouping: all, by: \.endpoint).sorted { $0.key < $1.key }.map {
      OutageSummary($0.key, $0.value, in: span, zone: zone)
    }
  }

  /// How far the machine's clock may have been set back for outages after it to be shown.
  private static let mostAhead: Int64 = 86_400_000

  /// The span that is asked for, in milliseconds since 1970 UTC; by default the last 30 days.
  ///
  /// - Returns: `nil` if it ends before it begins.
  package static func span(
    since: Int64?,
    until: Int64?,
    now: Int64,
    of runs: [WatchedRun]
  ) -> Range<Int64>? {
    let since = since ?? (until ?? now) - 30 * 86_400_000
    // A clock that was set back puts what it showed before into the future.
    let last = runs.map { $0.wall + $0.length }.filter { $0 <= now + mostAhead }.max() ?? now
    let end = until ?? max(now, last)
    return since <= end ? since..<end : nil
  }

  /// The outages that touch the span, the oldest first.
  package var outages: [WatchedStretch] { stretches.filter { $0.state != .online } }

  /// The span as moments.
  package var bounds: (since: Timestamp, until: Timestamp) {
    (Timestamp(milliseconds: span.lowerBound), Timestamp(milliseconds: span.upperBound))
  }
}
