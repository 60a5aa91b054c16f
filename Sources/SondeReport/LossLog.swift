package import SondeAsking
import SondeReachability
package import SondeSummary
import Synchronization

/// When a run had no network, and why.
package final class LossLog: Sendable {
  private let state = Mutex<[SummaryReport.NetworkLoss]>([])

  /// Makes an empty one.
  package init() {}

  /// The times without network, in order; the last one may still last.
  package var losses: [SummaryReport.NetworkLoss] { state.withLock { $0 } }

  /// Notes a change of the network; other events are nothing to it.
  package func hear(_ event: ScanEvent) {
    guard case .network(let change) = event else { return }
    let now = change.began.wall.components.seconds
    state.withLock { losses in
      let last = losses.indices.last.flatMap { losses[$0].to == nil ? $0 : nil }
      switch (change.verdict.cause, last) {
      case (let cause?, nil):
        losses.append(SummaryReport.NetworkLoss(from: now, to: nil, cause: cause.rawValue))
      case (nil, let last?): losses[last].to = now
      // Lost in another way, it is still lost.
      case (.some, .some), (nil, nil): break
      }
    }
  }
}
