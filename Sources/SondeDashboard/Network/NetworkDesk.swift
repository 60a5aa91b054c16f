package import SondeAlerts
import SondeAsking
public import SondeReachability
import SondeRecords
import SondeSummary
import SondeSystem

/// Watches the network for the dashboard: publishes changes and keeps them in the history.
public struct NetworkDesk: Sendable {
  private let monitor: NetworkMonitor
  let history: OutageHistory?
  private let state: DashboardState
  private let hub: DashboardHub
  let moment: @Sendable (String) -> Int64?

  /// Creates a desk that publishes changes to `hub`; without a history nothing is kept.
  ///
  /// `moment` reads a time in the past.
  package init(
    _ monitor: NetworkMonitor,
    history: OutageHistory?,
    state: DashboardState,
    hub: DashboardHub,
    moment: @escaping @Sendable (String) -> Int64?
  ) {
    (self.monitor, self.history, self.state, self.hub) = (monitor, history, state, hub)
    self.moment = moment
  }

  /// The current state of the network.
  public var status: NetworkStatus { monitor.currentStatus }

  /// The event with the current state; `nil` before it is known.
  public var current: DashboardEvent? { monitor.currentStatus.state.map(event) }

  /// Watches until the task is cancelled.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      if let history {
        group.addTask {
          await carryOver(to: history)
          await history.keep(monitor.events(), of: status.endpoint, by: "serve")
        }
        group.addTask { await history.keep(monitor.probes(), to: status.endpoint) }
      }
      for await case .network(let transition) in monitor.events() {
        hub.publish(event(transition))
      }
      group.cancelAll()
    }
  }

  private func event(_ transition: NetworkTransition) -> DashboardEvent {
    DashboardEvent(kind: .network, user: nil, json: transition.event.bytes)
  }
}

// MARK: - Losses

extension NetworkDesk {
  /// The last losses on the path to the endpoint, in chronological order.
  ///
  /// - Parameters:
  ///   - number: Only losses before this one, counted from 0; `nil` for the last ones.
  ///   - limit: The maximum number.
  /// - Returns: The losses, and the number of the first one if there are more before it.
  package func losses(
    before number: Int? = nil,
    limit: Int = .max
  ) async -> (items: [KeptLoss], next: Int?) {
    let runs = await history?.runs(after: .min) ?? []
    let all = OutageReport(runs, in: .min..<(.max), zone: .utc, endpoint: status.endpoint).outages
      .filter { $0.state == .offline }
      .map { KeptLoss($0) }
    let end = min(max(0, number ?? all.count), all.count)
    let page = all[max(0, end - min(limit, end))..<end]
    return (Array(page), page.startIndex > 0 ? page.startIndex : nil)
  }

  /// Moves the losses that an earlier version kept in the state to the history, once.
  private func carryOver(to history: OutageHistory) async {
    guard let losses = try? await state.losses(of: nil, limit: .max - 1), !losses.isEmpty else {
      return
    }
    let runs = losses.map { WatchedRun($0, of: status.endpoint) }
    if await history.add(runs) { try? await state.forgetOwnLosses() }
  }
}

extension KeptLoss {
  /// An outage of the history.
  fileprivate init(_ outage: WatchedStretch) {
    self.init(
      start: outage.startTime,
      end: outage.endTime,
      cause: outage.cause ?? "",
      interface: outage.interface
    )
  }
}

extension WatchedRun {
  /// A loss of an earlier version, of which only the wall clock is known; one without an end ended
  /// unseen.
  fileprivate init(_ loss: KeptLoss, of endpoint: String) {
    let start = loss.start.milliseconds
    self.init(
      // The same each time it is carried over.
      id: start,
      watcher: 0,
      program: "serve",
      endpoint: endpoint,
      state: .offline,
      cause: loss.cause,
      interface: loss.interface,
      boot: 0,
      begin: start,
      wall: start,
      length: max(0, (loss.end?.milliseconds ?? start) - start),
      isOver: loss.end != nil
    )
  }
}
