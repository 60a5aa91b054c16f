import SondeReachability
import Synchronization

/// Passes on what happens on several paths, and what they have in common once.
public final class LossTeller: Sendable {
  fileprivate struct State {
    var losses = JoinedLosses()
    /// The last change of each interface, which every path's monitor sees.
    var interfaces: [String: InterfaceChange] = [:]
  }

  private let state = Mutex(State())
  private let report: EventHandler

  /// Makes one.
  ///
  /// - Parameter report: Told what is to be told.
  public init(_ report: @escaping EventHandler) { self.report = report }

  /// Takes an event of any path.
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
  /// Whether a change is not the one that was told last.
  fileprivate mutating func note(_ change: InterfaceChange) -> Bool {
    let last = interfaces.updateValue(change, forKey: change.interface.name)
    return last?.interface != change.interface || last?.isGone != change.isGone
  }
}
