import SondeReachability
import Synchronization

/// Forwards the events of several paths, and reports common ones once.
public final class LossTeller: Sendable {
  fileprivate struct State {
    var losses = JoinedLosses()
    /// The last change of each interface, which the monitors of all paths report.
    var interfaces: [String: InterfaceChange] = [:]
  }

  private let state = Mutex(State())
  private let report: EventHandler

  /// Creates a forwarder of events to `report`.
  public init(_ report: @escaping EventHandler) { self.report = report }

  /// Handles an event of any path.
  public func take(_ event: ScanEvent) {
    switch event {
    case .network(let transition): tell(state.withLock { $0.losses.take(transition) })
    case .interface(let change): if state.withLock({ $0.note(change) }) { report(event) }
    default: report(event)
    }
  }

  private func tell(_ reply: JoinedLosses.Reply) {
    if let told = reply.told { report(.network(told)) }
    guard reply.isReminderDue else { return }
    Task { [weak self] in
      try? await Task.sleep(for: JoinedLosses.grace)
      guard let self else { return }
      tell(state.withLock { $0.losses.remind() })
    }
  }
}

extension LossTeller.State {
  /// Records a change; returns whether it differs from the last one reported.
  fileprivate mutating func note(_ change: InterfaceChange) -> Bool {
    let last = interfaces.updateValue(change, forKey: change.interface.name)
    return last?.interface != change.interface || last?.isGone != change.isGone
  }
}
