/// A change of the verdict.
public struct NetworkTransition: Hashable, Sendable {
  /// The new verdict.
  public var verdict: Verdict

  /// The previous verdict; `nil` for the first.
  public var previous: Verdict?

  /// The interface judged; `nil` if there is none to name.
  public var interface: String?

  /// The finding about the endpoint, if that is the cause.
  public var finding: Finding?

  /// The endpoint as configured, or the place of an outage that is the cause.
  public var endpoint: String

  /// The outage of something else, if that is the cause.
  public var outage: NetworkOutage?

  /// When the state began; it is reported once it has lasted for the settling time.
  public var began: Moment

  /// When the network was lost: the start of the current or preceding series of offline states;
  /// `nil` if there was none.
  public var lost: Moment?

  /// Why the network is lost, in plain words; `nil` while it is available.
  public var reason: String? {
    verdict.cause.map { outage?.reason ?? finding?.words(of: endpoint) ?? $0.words }
  }

  /// How long the network was lost, if this transition reports its return.
  public var downTime: Duration? {
    guard verdict.isOnline, let lost else { return nil }
    return began.steady - lost.steady
  }
}
