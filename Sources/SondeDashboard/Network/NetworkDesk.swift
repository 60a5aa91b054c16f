import SondeAsking
public import SondeReachability
import SondeRecords

/// Watches the network for the dashboard: publishes changes and stores losses.
public struct NetworkDesk: Sendable {
  private let monitor: NetworkMonitor
  private let state: DashboardState
  private let hub: DashboardHub

  /// Creates a desk that stores losses in `state` and publishes changes to `hub`.
  public init(_ monitor: NetworkMonitor, state: DashboardState, hub: DashboardHub) {
    (self.monitor, self.state, self.hub) = (monitor, state, hub)
  }

  /// The current state of the network.
  public var status: NetworkStatus { monitor.currentStatus }

  /// The event with the current state; `nil` before it is known.
  public var current: DashboardEvent? { monitor.currentStatus.state.map(event) }

  /// Watches until the task is cancelled.
  public func run() async {
    for await event in monitor.events() {
      guard case .network(let transition) = event else { continue }
      hub.publish(self.event(transition))
      if let loss = KeptLoss(transition) {
        try? await state.beginLoss(loss)
      } else {
        try? await state.endLoss(at: transition.moment)
      }
    }
  }

  private func event(_ transition: NetworkTransition) -> DashboardEvent {
    DashboardEvent(kind: .network, user: nil, json: transition.event.bytes)
  }
}
