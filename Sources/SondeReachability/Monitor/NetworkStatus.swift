/// Everything that a monitor's thread knows, for other threads.
struct Facts: Sendable {
  var endpoint = ""
  var view: View?
  var judgement = PathJudgement()
  var evidence = VerdictMachine.Evidence.none
  var told: NetworkTransition?
  var connect: Duration?
  var losses = LossTally()
  var degradations: [Degradation] = []
}

/// The state of the network at one moment, layer by layer.
public struct NetworkStatus: Sendable {
  /// The last verdict reported; `nil` before the first.
  public var state: NetworkTransition?

  /// The endpoint, as configured.
  public var endpoint: String

  /// Every interface, in the kernel's order.
  public var interfaces: [Interface]

  /// The kernel's route to the endpoint.
  public var route: Route?

  /// The time to connect of the last probe that did; `nil` while the path is not open.
  public var connect: Duration?

  /// The sources of information that fail.
  public var degradations: [Degradation]

  /// The number of losses reported so far.
  public var losses: Int

  /// The time spent offline so far.
  public var offlineTime: Duration

  private let facts: Facts

  /// The state of one layer.
  public struct Layer: Hashable, Sendable {
    /// The name of a layer.
    public enum Name: String, Sendable, CaseIterable {
      case interfaces
      case link
      case address
      case route
      case endpoint
      case verdict
    }

    /// The condition of a layer.
    public enum Condition: String, Sendable, CaseIterable {
      case ok
      case broken
      case unknown
    }

    /// The name.
    public var name: Name

    /// The condition.
    public var condition: Condition

    /// The reason, in plain words.
    public var words: String
  }
}

extension NetworkStatus {
  init(_ facts: Facts, now: Moment) {
    self.facts = facts
    (state, endpoint, degradations) = (facts.told, facts.endpoint, facts.degradations)
    connect = facts.connect
    (interfaces, route) = (facts.view?.interfaces ?? [], facts.judgement.route)
    (losses, offlineTime) = (facts.losses.losses, facts.losses.offlineTime(now: now))
  }

  /// The layers from the bottom up, ending with the verdict; created by each access.
  public var layers: [Layer] { Layer.Name.allCases.map { facts.layer($0) } }
}
