package import SondeAsking
import SondeReachability
package import SondeSummary
import Synchronization

/// The times at which a run had no network, with the causes.
package final class LossLog: Sendable {
  private let state = Mutex<[SummaryReport.NetworkLoss]>([])

  package init() {}

  /// The losses in order; the last one may not have ended.
  package var losses: [SummaryReport.NetworkLoss] { state.withLock { $0 } }

  /// Records a change of the network; ignores other events.
  package func hear(_ event: ScanEvent) {
    guard case .network(let change) = event else { return }
    let now = change.began.wall.components.seconds
    state.withLock { losses in
      let last = losses.indices.last.flatMap { losses[$0].to == nil ? $0 : nil }
      switch (change.verdict.cause, last) {
      case (let cause?, nil):
        losses.append(SummaryReport.NetworkLoss(from: now, to: nil, cause: cause.rawValue))
      case (nil, let last?): losses[last].to = now
      // Another cause does not end the loss.
      case (.some, .some), (nil, nil): break
      }
    }
  }
}
