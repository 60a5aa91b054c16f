/// One change of the verdict.
public struct NetworkTransition: Hashable, Sendable {
  /// The verdict from now on.
  public var verdict: Verdict

  /// The one before; `nil` for the first.
  public var previous: Verdict?

  /// The interface that it was judged on; `nil` if there is none to name.
  public var interface: String?

  /// What was found out about the endpoint, where that is the cause.
  public var finding: Finding?

  /// The endpoint, as it was given; where that is the cause, what else is gone.
  public var endpoint: String

  /// What else is gone, where that is the cause.
  public var outage: NetworkOutage?

  /// When the state began; it is told once it has lasted for the time it takes to settle.
  public var began: Moment

  /// When the network was lost before this: the beginning of all offline states in a row, this one
  /// included; `nil` when there was none.
  public var lost: Moment?

  /// Why the network is lost, in words for a person; `nil` while it is there.
  public var reason: String? {
    verdict.cause.map { outage?.reason ?? finding?.words(of: endpoint) ?? $0.words }
  }

  /// How long the network was gone, when this says that it is back.
  public var downTime: Duration? {
    guard verdict.isOnline, let lost else { return nil }
    return began.steady - lost.steady
  }
}
