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

  /// Whether nobody saw when the preceding state ended: ``downTime`` or ``degradedTime`` is then the
  /// least it can be.
  public var isEndUnseen = false

  /// When the network became degraded: the start of the current or preceding degraded state; `nil`
  /// if it directly precedes or follows none.
  public var degraded: Moment?

  /// How well the path works; `nil` unless it is measured against limits.
  public var quality: PathQuality?

  /// The time to connect of the last probe that did, while the path is open.
  public var connect: Duration?

  /// How many endpoints can be reached, if several are watched together.
  public var reach: Reach?

  /// Why the network is lost, in plain words; `nil` while it is available.
  public var reason: String? {
    verdict.cause.map { cause in
      if let reach, cause == .unreachable { return reach.words }
      return outage?.reason ?? finding?.words(of: endpoint) ?? cause.words
    }
  }

  /// How long the network was lost, if this transition reports its return.
  public var downTime: Duration? {
    guard verdict.isOnline, let lost else { return nil }
    return began.steady - lost.steady
  }

  /// How long the network was degraded, if this transition reports the end of that.
  public var degradedTime: Duration? {
    guard !verdict.isDegraded, let degraded else { return nil }
    return began.steady - degraded.steady
  }
}

extension NetworkTransition {
  /// A change that follows another, from which it takes over since when the network was lost or
  /// degraded.
  init(to verdict: Verdict, after told: Self?, endpoint: String, began: Moment) {
    let previous = told?.verdict
    // The time of the loss is kept until a return is reported, since its event repeats it.
    let lost = previous?.isOnline == false ? told?.lost : verdict.isOnline ? nil : began
    let degraded = previous?.isDegraded == true ? told?.degraded : verdict.isDegraded ? began : nil
    self.init(
      verdict: verdict,
      previous: previous,
      endpoint: endpoint,
      began: began,
      lost: lost,
      degraded: degraded
    )
  }
}

/// How many of several endpoints can be reached, and how many must.
public struct Reach: Hashable, Sendable {
  /// The number of endpoints that can be reached.
  public var reachable: Int
  /// The number of endpoints.
  public var endpoints: Int
  /// The number from which the network is online.
  public var quorum: Int

  /// The figures, in plain words.
  public var words: String {
    let subject = reachable == 0 ? "none" : "\(reachable)"
    let demand = quorum == 1 ? "" : ", and \(quorum) must"
    return "\(subject) of \(endpoints) endpoints \(reachable < 2 ? "answers" : "answer")\(demand)"
  }
}

/// How well an open path works: figures of the last probes.
public struct PathQuality: Hashable, Sendable {
  /// The share of probes that were lost, from 0 to 1; `nil` if none were made.
  public var loss: Double?

  /// The median time to connect of those that did; `nil` if none did.
  public var connect: Duration?

  /// Creates figures.
  public init(loss: Double?, connect: Duration?) { (self.loss, self.connect) = (loss, connect) }
}
