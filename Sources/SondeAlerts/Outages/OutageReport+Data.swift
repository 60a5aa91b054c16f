import SondeRecords
package import SondeSummary
package import SondeSystem

extension OutageReport {
  /// The report for programs, in any format but ``SummaryFormat/table``.
  package func data(as format: SummaryFormat) -> [UInt8] {
    switch format {
    case .table: return []
    case .csv, .tsv:
      let separator: Character = format == .csv ? "," : "\t"
      let lines = [WatchedStretch.columns] + outages.map(\.texts)
      return lines.flatMap { delimitedLine($0, by: separator) }
    case .ndjson:
      return outages.flatMap(\.json.line) + summaries.flatMap { json($0, isEvent: true).line }
    case .json:
      var object = JSONObject()
      object.add("outages", objects: outages.map(\.json))
      object.add("summaries", objects: summaries.map { json($0, isEvent: false) })
      return object.line
    }
  }

  private func json(_ summary: OutageSummary, isEvent: Bool) -> JSONObject {
    var object = JSONObject()
    if isEvent { object.add("event", "summary") }
    object.add("endpoint", summary.endpoint)
    object.add("since", bounds.since.withMilliseconds)
    object.add("until", bounds.until.withMilliseconds)
    object.add("watched_ms", summary.watched)
    object.add("offline_ms", summary.offline)
    object.add("degraded_ms", summary.degraded)
    if let availability = summary.availability { object.add("availability", availability) }
    object.add("outages", summary.outages)
    if let longest = summary.longest { object.add("longest_ms", longest) }
    if let mean = summary.mean { object.add("mean_ms", mean) }
    object.add("causes", objects: summary.causes.map(\.json))
    object.add(
      "hours",
      objects: summary.hours.enumerated().map { hour, counts in
        var object = JSONObject()
        object.add("hour", hour)
        object.add("outages", counts.outages)
        object.add("offline_ms", counts.offline)
        return object
      }
    )
    return object
  }
}

extension WatchedStretch {
  fileprivate static let columns = [
    "start", "end", "duration_ms", "state", "cause", "interface", "endpoint", "estimated",
  ]

  fileprivate var texts: [String] {
    [
      startTime.withMilliseconds, endTime?.withMilliseconds ?? "", "\(length)", state.rawValue,
      cause ?? "", interface ?? "", endpoint, "\(isEstimated)",
    ]
  }

  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("start", startTime.withMilliseconds)
    if let endTime { object.add("end", endTime.withMilliseconds) }
    object.add("duration_ms", length)
    object.add("state", state.rawValue)
    if let cause { object.add("cause", cause) }
    if let interface { object.add("interface", interface) }
    object.add("endpoint", endpoint)
    object.add("estimated", isEstimated)
    return object
  }

  /// When it began.
  package var startTime: Timestamp { Timestamp(milliseconds: start) }

  /// When it ended; `nil` while it goes on.
  package var endTime: Timestamp? { isOngoing ? nil : Timestamp(milliseconds: end) }
}

extension OutageSummary.Cause {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("cause", name)
    object.add("outages", outages)
    object.add("offline_ms", offline)
    return object
  }
}
