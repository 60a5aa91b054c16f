/// The number and total time of losses of the network, for a summary.
public struct LossTally: Hashable, Sendable {
  /// The number of losses reported; a return too short to settle does not start a new one.
  public private(set) var losses = 0

  private var finished: Duration = .zero
  private var lost: Duration?

  mutating func count(_ transition: NetworkTransition) {
    switch (transition.verdict.isOnline, lost) {
    case (false, nil):
      losses += 1
      lost = transition.began.steady
    case (true, .some(let beginning)):
      finished += transition.began.steady - beginning
      lost = nil
    case (false, .some), (true, nil): break
    }
  }

  /// The time spent offline until now, including a loss that still lasts.
  public func offlineTime(now: Moment) -> Duration {
    finished + (lost.map { now.steady - $0 } ?? .zero)
  }
}
