/// Whether the path to the endpoint is open.
public enum Verdict: Hashable, Sendable {
  case online
  /// The path is open, but worse than the limits that were set.
  case degraded(DegradedCause)
  case offline(OfflineCause)

  /// Whether the path is open, degraded or not.
  public var isOnline: Bool { cause == nil }

  /// Whether the path is open, but degraded.
  public var isDegraded: Bool { if case .degraded = self { true } else { false } }

  /// The cause, if the path is not open.
  public var cause: OfflineCause? { if case .offline(let cause) = self { cause } else { nil } }

  /// The word for it in events: `online`, `degraded` or `offline`.
  public var state: String {
    switch self {
    case .online: "online"
    case .degraded: "degraded"
    case .offline: "offline"
    }
  }

  /// The word for its cause in events; `nil` while online and not degraded.
  public var causeName: String? {
    switch self {
    case .online: nil
    case .degraded(let cause): cause.rawValue
    case .offline(let cause): cause.rawValue
    }
  }
}

/// Why an open path is degraded.
public enum DegradedCause: String, Sendable, CaseIterable {
  /// Too many connections are lost, or need their first packet sent again.
  case lossy
  /// Connecting takes too long.
  case slow
}

/// The lowest broken layer, from the bottom up.
public enum OfflineCause: String, Sendable, CaseIterable, Comparable {
  /// There is no interface, or only loopback.
  case noInterface = "no_interface"
  /// The interface is down or has no carrier.
  case linkDown = "link_down"
  /// The interface has no address, or only link-local ones.
  case noAddress = "no_address"
  /// The kernel knows no route to the endpoint.
  case noRoute = "no_route"
  /// All these layers work, but the endpoint's name does not resolve or nothing there answers.
  case unreachable
  /// A login page answers instead of the endpoint.
  case captivePortal = "captive_portal"
  /// The path is open, but a required store shared with other machines is unavailable.
  case sharedUnreachable = "shared_unreachable"

  /// Orders causes from the lowest layer up.
  public static func < (left: OfflineCause, right: OfflineCause) -> Bool {
    left.layer < right.layer
  }

  private var layer: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// The problem, in plain words.
  public var words: String {
    switch self {
    case .noInterface: "there is no network interface"
    case .linkDown: "the link is down"
    case .noAddress: "the interface has no address"
    case .noRoute: "there is no route"
    case .unreachable: "the endpoint does not answer"
    case .captivePortal: "a login page answers instead"
    case .sharedUnreachable: "the shared store does not answer"
    }
  }
}
