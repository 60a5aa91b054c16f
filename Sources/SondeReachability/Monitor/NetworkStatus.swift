/// All that a monitor's thread knows, as it hands it to others.
struct Facts: Sendable {
  var endpoint = ""
  var view: View?
  var judgement = PathJudgement()
  var evidence = VerdictMachine.Evidence.none
  var told: NetworkTransition?
  var losses = LossTally()
  var degradations: [Degradation] = []
}

/// The network as it is seen at one moment, layer by layer.
public struct NetworkStatus: Sendable {
  /// The verdict last told; `nil` before the first.
  public var state: NetworkTransition?

  /// The endpoint, as it was given.
  public var endpoint: String

  /// Every interface, in the kernel's order.
  public var interfaces: [Interface]

  /// The kernel's route choice to the endpoint.
  public var route: Route?

  /// The sources that fail.
  public var degradations: [Degradation]

  /// How many losses were told so far.
  public var losses: Int

  /// The time spent offline so far.
  public var offlineTime: Duration

  private let facts: Facts

  /// One layer, and what Sonde thinks of it.
  public struct Layer: Hashable, Sendable {
    /// Which layer it is.
    public enum Name: String, Sendable, CaseIterable {
      case interfaces
      case link
      case address
      case route
      case endpoint
      case verdict
    }

    /// How it is.
    public enum Condition: String, Sendable, CaseIterable {
      case ok
      case broken
      case unknown
    }

    /// Which layer it is.
    public var name: Name

    /// How it is.
    public var condition: Condition

    /// Why, in words for a person.
    public var words: String
  }
}

extension NetworkStatus {
  init(_ facts: Facts, now: Moment) {
    state = facts.told
    endpoint = facts.endpoint
    interfaces = facts.view?.interfaces ?? []
    route = facts.judgement.route
    degradations = facts.degradations
    losses = facts.losses.losses
    offlineTime = facts.losses.offlineTime(now: now)
    self.facts = facts
  }

  /// The layers from the bottom up, the verdict last; their words are made here.
  public var layers: [Layer] { Layer.Name.allCases.map { facts.layer($0) } }
}
