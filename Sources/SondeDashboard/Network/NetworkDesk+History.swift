import SondeAlerts
import SondeReachability
package import SondeRecords
import SondeSummary
import SondeSystem

extension NetworkDesk {
  /// The outages of all endpoints, and a summary of each, as in `sonde outages --format json`.
  ///
  /// - Throws: ``DashboardError`` for a bound that is no time, and for a span that ends before it
  ///   begins.
  package func outages(since: String?, until: String?) async throws(DashboardError) -> [UInt8] {
    let (runs, span) = try await runs(since: since, until: until)
    let report = OutageReport(runs, in: span, zone: .utc)
    // Without the line end.
    return Array(report.data(as: .json).dropLast())
  }

  /// What was watched of the endpoint: its states in turn, with gaps where nobody watched.
  ///
  /// - Throws: ``DashboardError`` as ``outages(since:until:)``.
  package func timeline(since: String?) async throws(DashboardError) -> [JSONObject] {
    let (runs, span) = try await runs(since: since, until: nil)
    return OutageReport(runs, in: span, zone: .utc, endpoint: status.endpoint).stretches.map(\.band)
  }

  /// How probes connected to the endpoint, minute by minute.
  ///
  /// - Throws: ``DashboardError`` for a bound that is no time.
  package func latency(since: String?) async throws(DashboardError) -> [JSONObject] {
    let since = try bound("since", since) ?? .min
    return (await history?.latency(of: status.endpoint, since: since) ?? []).map(\.json)
  }

  private func runs(
    since: String?,
    until: String?
  ) async throws(DashboardError) -> ([WatchedRun], Range<Int64>) {
    let (since, until) = (try bound("since", since), try bound("until", until))
    let runs = await history?.runs(after: .min) ?? []
    let now = Timestamp.now.milliseconds
    guard let span = OutageReport.span(since: since, until: until, now: now, of: runs) else {
      throw DashboardError(.invalid, "“until” is before “since”")
    }
    return (runs, span)
  }

  private func bound(_ name: String, _ text: String?) throws(DashboardError) -> Int64? {
    guard let text else { return nil }
    guard let moment = moment(text) else {
      throw DashboardError(
        .invalid,
        "“\(name)” must be a date (2015-05-17), a time (2015-05-17T10:05:03Z) or how long ago (7d)"
      )
    }
    return moment
  }
}

extension WatchedStretch {
  /// The stretch as a band of a timeline.
  fileprivate var band: JSONObject {
    var object = JSONObject()
    object.add("start", startTime.withMilliseconds)
    object.add("end", optional: endTime?.withMilliseconds)
    object.add("state", state.rawValue)
    object.add("cause", optional: cause)
    return object
  }
}

extension LatencyMinute {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("at", Timestamp(milliseconds: start).withMilliseconds)
    if let connect {
      object.add("connect_ms", Double(connect) / 1000)
    } else {
      object.addNull("connect_ms")
    }
    object.add("failed", failed)
    return object
  }
}
