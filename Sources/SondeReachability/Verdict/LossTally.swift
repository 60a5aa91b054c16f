/// How often and for how long the network was lost, for a summary.
public struct LossTally: Hashable, Sendable {
  /// How many losses were told; a return too short to settle does not make two of one.
  public private(set) var losses = 0

  private var finished: Duration = .zero
  private var lost: Duration?

  /// Counts a transition that is told.
  mutating func count(_ transition: NetworkTransition) {
    switch (transition.verdict, lost) {
    case (.offline, nil):
      losses += 1
      lost = transition.began.steady
    case (.online, .some(let beginning)):
      finished += transition.began.steady - beginning
      lost = nil
    case (.offline, .some), (.online, nil): break
    }
  }

  /// The time spent offline until now, the loss that still lasts included.
  public func offlineTime(now: Moment) -> Duration {
    finished + (lost.map { now.steady - $0 } ?? .zero)
  }
}
