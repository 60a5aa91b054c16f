import SondeAsking
public import SondeReachability
import SondeRecords

/// Watches the network for the dashboard: tells changes, and keeps the losses.
public struct NetworkDesk: Sendable {
  private let monitor: NetworkMonitor
  private let state: DashboardState
  private let hub: DashboardHub

  /// Makes a desk.
  ///
  /// - Parameters:
  ///   - monitor: Sees the network.
  ///   - state: Where losses are kept.
  ///   - hub: Where changes are told.
  public init(_ monitor: NetworkMonitor, state: DashboardState, hub: DashboardHub) {
    (self.monitor, self.state, self.hub) = (monitor, state, hub)
  }

  /// The network as it is now.
  public var status: NetworkStatus { monitor.currentStatus }

  /// The event that tells how the network is; `nil` before that is known.
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
