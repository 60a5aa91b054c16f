/// Combines the verdicts on several endpoints to one on the network: a pure value.
struct Quorum: Sendable {
  /// The number of endpoints that must be reachable.
  let needed: Int

  /// The endpoints in their order, with blanks between them, for reports.
  let name: String

  private var states: [NetworkTransition?]

  /// The last verdict on the network.
  private(set) var told: NetworkTransition?

  /// The number and total time of the network's losses.
  private(set) var losses = LossTally()

  init(of endpoints: [String], needed: Int) {
    self.needed = needed
    name = endpoints.joined(separator: " ")
    states = Array(repeating: nil, count: endpoints.count)
  }

  /// Takes a change of one endpoint; returns that of the network, if any.
  ///
  /// The first one is reported once every endpoint has its first state.
  mutating func take(_ change: NetworkTransition, of place: Int) -> NetworkTransition? {
    states[place] = change
    let known = states.compactMap(\.self)
    guard known.count == states.count else { return nil }
    let combined = combine(known)
    guard combined.verdict != told?.verdict else { return nil }
    let transition = transition(to: combined, of: known, began: change.began)
    losses.count(transition)
    told = transition
    return transition
  }

  private func transition(
    to combined: Combined,
    of known: [NetworkTransition],
    began: Moment
  ) -> NetworkTransition {
    // Endpoints are watched side by side, and their changes may arrive out of order.
    let latest = told.flatMap { $0.began.steady > began.steady ? $0.began : nil } ?? began
    var transition = NetworkTransition(
      to: combined.verdict,
      after: told,
      endpoint: name,
      began: latest
    )
    (transition.interface, transition.quality) = (combined.interface, combined.quality)
    transition.reach = Reach(
      reachable: known.count(where: \.verdict.isOnline),
      endpoints: known.count,
      quorum: needed
    )
    return transition
  }

  private struct Combined {
    var verdict: Verdict
    var interface: String?
    var quality: PathQuality?

    init(_ verdict: Verdict, as state: NetworkTransition?) {
      (self.verdict, interface, quality) = (verdict, state?.interface, state?.quality)
    }
  }

  /// The network is in the state of its endpoint in place `needed`, counted from the best.
  ///
  /// A login page stands before all endpoints, whether they have met it yet or not.
  private func combine(_ states: [NetworkTransition]) -> Combined {
    if let portal = states.first(where: { $0.verdict.cause == .captivePortal }) {
      return Combined(portal.verdict, as: portal)
    }
    let reachable = states.filter(\.verdict.isOnline)
    guard reachable.count < needed else {
      let decisive = reachable.sorted { $0.isBetter(than: $1) }[needed - 1]
      return Combined(decisive.verdict, as: decisive)
    }
    let local = states.filter { $0.verdict.cause.map { $0 <= .noRoute } ?? false }
    let lowest = local.min { $0.layer < $1.layer }
    // Others have lost the same interface, and only have not noticed yet.
    let broken = Set(local.filter { $0.layer < .noRoute }.compactMap(\.interface))
    let others = states.count {
      $0.verdict.cause == .unreachable && ($0.interface.map(broken.contains) ?? false)
    }
    if let lowest, states.count - local.count - others < needed {
      return Combined(lowest.verdict, as: lowest)
    }
    let silent = states.first { $0.verdict.cause == .unreachable }
    return Combined(.offline(.unreachable), as: silent)
  }
}

extension NetworkTransition {
  /// The broken layer of an offline state.
  fileprivate var layer: OfflineCause { verdict.cause ?? .sharedUnreachable }

  /// Whether an open path is better than another.
  fileprivate func isBetter(than other: Self) -> Bool {
    if rank != other.rank { return rank < other.rank }
    let (own, others) = (quality?.loss ?? 0, other.quality?.loss ?? 0)
    if own != others { return own < others }
    return quality?.connect ?? .zero < other.quality?.connect ?? .zero
  }

  private var rank: Int {
    switch verdict {
    case .online: 0
    case .degraded(.slow): 1
    case .degraded(.lossy): 2
    case .offline: 3
    }
  }
}
