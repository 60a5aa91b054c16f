import SondeAccounts
import SondeAsking
import SondeDashboard
import SondeLive
import SondeOutputs
import SondeRecords
import SondeWeb

extension DashboardAPI {
  /// `GET /metrics`: for Prometheus.
  func metrics(_ request: Request, _ access: Access) async throws -> Response {
    guard access.isAdmin else { throw Problem.forbidden("\(AccountError.forbidden)") }
    try request.query.allow()
    let families =
      await core.scans.metrics + LogInfo.metrics(of: core.logs.infos()) + [
        Metrics.Family(
          name: "sonde_quota_remaining",
          help: "Requests that the quota of the first provider allows at the moment.",
          samples: core.lookups.remaining.map { [Metrics.Sample(value: Double($0))] } ?? []
        ),
        Metrics.Family(
          name: "sonde_lookups_total",
          help: "Look-ups of people and programs since the start.",
          isCounter: true,
          samples: [Metrics.Sample(value: Double(core.lookups.count))]
        ),
        Metrics.Family(
          name: "sonde_event_streams",
          help: "Open streams of events.",
          samples: [Metrics.Sample(value: Double(events.streams))]
        ),
      ]
    let network = core.network.status
    let text = Metrics.text(of: network, endpoints: [network]) + families.map(\.text).joined()
    return .bytes(Array(text.utf8), type: Metrics.type)
  }
}

extension LogInfo {
  fileprivate static func metrics(of logs: [LogInfo]) -> [Metrics.Family] {
    let values: [(String, String, Bool, @Sendable (LogInfo) -> Int)] = [
      ("sonde_log_lines_total", "Lines of a followed log since its first start.", true, \.lines),
      ("sonde_log_hits_total", "Hits in a followed log since its first start.", true, \.hits),
      (
        "sonde_log_behind_seconds", "How far the reading of a log is behind.", false,
        \.secondsBehind
      ),
    ]
    return values.map { name, help, isCounter, value in
      Metrics.Family(
        name: name,
        help: help,
        isCounter: isCounter,
        samples: logs.map { log in
          let labels = [("log", log.name), ("id", log.id)]
          return Metrics.Sample(labels: labels, value: Double(value(log)))
        }
      )
    }
  }
}

extension ScanDesk {
  fileprivate var metrics: [Metrics.Family] {
    let now = ContinuousClock.now
    let states = entries.values.map { $0.life.state(now: now).0 }
    let counts = entries.values.compactMap(\.counts)
    let statuses: [(Status, any KeyPath<Tally, Int> & Sendable)] = [
      (.ok, \.ok), (.unknown, \.unknown), (.reserved, \.reserved), (.invalid, \.invalid),
      (.failed, \.failed), (.networkLost, \.networkLost),
    ]
    return [
      Metrics.Family(
        name: "sonde_scans",
        help: "Scans that are kept, by state.",
        samples: ScanLife.State.allCases.map { state in
          Metrics.Sample(
            labels: [("state", state.rawValue)],
            value: Double(states.count { $0 == state })
          )
        }
      ),
      Metrics.Family(
        name: "sonde_scan_records",
        help: "Records of the scans that are kept, by status.",
        samples: statuses.map { status, path in
          let number = counts.reduce(0) { $0 + $1.tally[keyPath: path] }
          return Metrics.Sample(labels: [("status", status.name)], value: Double(number))
        }
      ),
      Metrics.Family(
        name: "sonde_scan_requests",
        help: "Requests that the scans that are kept have sent.",
        samples: [
          Metrics.Sample(value: counts.reduce(0) { $0 + Double($1.counters.requests) })
        ]
      ),
    ]
  }
}
