import SondeRecords
package import SondeSystem
package import SondeWeb

/// The members of a `network` event that messages mention.
package struct NetworkFacts: Sendable, Equatable {
  /// The word for the state while the path is open.
  static let online = "online"
  /// The word for the state while it is lost.
  static let offline = "offline"
  /// The word for the state while it is open, but lossy or slow.
  static let degraded = "degraded"

  /// `online`, `offline` or `degraded`.
  let state: String
  let previous: String?
  let cause: String?
  let interface: String?
  let endpoint: String
  let at: Timestamp
  /// How long the network was offline; only in the event that ends this.
  let downTime: Duration?
  /// How long the network was degraded; only in the event that ends this.
  let degradedTime: Duration?
  /// The share of lost probes, from 0 to 1.
  let loss: Double?
  /// The median time to connect, in milliseconds.
  let connectTime: Double?

  /// Reads an event; `at` is its time.
  package init(_ event: JSON, at: Timestamp) {
    self.at = at
    state = event["state"]?.text ?? Self.online
    previous = event["previous"]?.text
    cause = event["cause"]?.text
    interface = event["interface"]?.text
    endpoint = event["endpoint"]?.text ?? ""
    let number: (String) -> Double? = { event[$0]?.digits.flatMap(Double.init) }
    let time: (String) -> Duration? = { number($0).map { .milliseconds($0) } }
    (downTime, degradedTime) = (time("down_ms"), time("degraded_ms"))
    (loss, connectTime) = (number("loss"), number("connect_ms"))
  }

  var isOnline: Bool { state == Self.online }
}

/// The states of a network around a change: the one that begins or lasts, and the one that ends.
///
/// A value that is advanced by each change in turn, and stored with its alert.
package struct NetworkCourse: Sendable, Equatable {
  /// A state other than `online`, since its beginning.
  package struct State: Sendable, Equatable {
    /// `offline` or `degraded`.
    var name: String
    var since: Timestamp
    /// The first cause, where the cause has changed; `nil` if it is not known.
    var cause: String?
    /// The interface of that cause.
    var interface: String?
    var endpoint: String

    /// Whether it has also lasted while nobody watched, so that its length is estimated.
    var isEstimated: Bool

    package init(
      _ name: String,
      since: Timestamp,
      cause: String?,
      interface: String?,
      endpoint: String,
      isEstimated: Bool = false
    ) {
      (self.name, self.since, self.cause) = (name, since, cause)
      (self.interface, self.endpoint, self.isEstimated) = (interface, endpoint, isEstimated)
    }

    fileprivate init(_ unended: UnendedState) {
      self.init(
        unended.state.rawValue,
        since: Timestamp(milliseconds: unended.since),
        cause: unended.cause,
        interface: unended.interface,
        endpoint: unended.endpoint,
        isEstimated: true
      )
    }

    fileprivate init(_ facts: NetworkFacts) {
      self.init(
        facts.state,
        since: facts.at,
        cause: facts.cause,
        interface: facts.interface,
        endpoint: facts.endpoint
      )
    }
  }

  /// The state that begins with the change or lasts through it; `nil` for `online`.
  private(set) var current: State?

  /// The state that ends with the change.
  private(set) var ended: State?

  /// When the network was last online before the current or the ended state.
  private(set) var left: Timestamp?

  /// Creates the course of a network that no change is known of.
  package init() {}

  /// Creates the course of a network in the state in which an earlier watch ended.
  package init(after unended: UnendedState) {
    (current, left) = (State(unended), Timestamp(milliseconds: unended.left))
  }

  /// The course as far as a single event shows it.
  init(guessedFrom facts: NetworkFacts) {
    if let time = facts.downTime ?? facts.degradedTime {
      let name = facts.downTime == nil ? NetworkFacts.degraded : NetworkFacts.offline
      let start = Timestamp(milliseconds: facts.at.milliseconds - time.milliseconds)
      current = State(name, since: start, cause: nil, interface: nil, endpoint: facts.endpoint)
      left = start
    }
    advance(by: facts)
  }

  /// Applies the next change.
  package mutating func advance(by facts: NetworkFacts) {
    if current == nil { left = nil }
    ended = nil
    guard current?.name != facts.state else { return }
    ended = current
    current = facts.isOnline ? nil : State(facts)
    if current != nil, left == nil { left = facts.at }
  }
}

// MARK: - In a queue

extension NetworkCourse {
  var json: JSON {
    [
      "current": current?.json ?? .null, "ended": ended?.json ?? .null,
      "left": JSON(left?.withMilliseconds),
    ]
  }

  /// Reads what ``json`` has written; `nil` if it is not an object.
  init?(_ json: JSON) {
    guard json.members != nil else { return nil }
    current = json["current"].flatMap { State($0) }
    ended = json["ended"].flatMap { State($0) }
    left = json["left"]?.text.flatMap { Timestamp(event: $0) }
  }
}

extension NetworkCourse.State {
  fileprivate var json: JSON {
    [
      "state": .string(name), "since": .string(since.withMilliseconds), "cause": JSON(cause),
      "interface": JSON(interface), "endpoint": .string(endpoint),
      "estimated": .bool(isEstimated),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let name = json["state"]?.text,
      let since = json["since"]?.text.flatMap({ Timestamp(event: $0) })
    else { return nil }
    self.init(
      name,
      since: since,
      cause: json["cause"]?.text,
      interface: json["interface"]?.text,
      endpoint: json["endpoint"]?.text ?? "",
      isEstimated: json["estimated"] == true
    )
  }
}
