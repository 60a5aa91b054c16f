/// Whether the path to the endpoint is open.
public enum Verdict: Hashable, Sendable {
  case online
  case offline(OfflineCause)

  /// Whether it is `online`.
  public var isOnline: Bool { self == .online }

  /// Why not, when it is not.
  public var cause: OfflineCause? {
    switch self {
    case .online: nil
    case .offline(let cause): cause
    }
  }

  /// The word for it in events: `online` or `offline`.
  public var state: String { isOnline ? "online" : "offline" }
}

/// The lowest broken layer, from the bottom up.
public enum OfflineCause: String, Sendable, CaseIterable, Comparable {
  /// There is none, or none but loopback.
  case noInterface = "no_interface"
  /// It is set down or has no carrier.
  case linkDown = "link_down"
  /// It has no address, or link-local ones only.
  case noAddress = "no_address"
  /// The kernel knows no route to the endpoint.
  case noRoute = "no_route"
  /// All of these are fine, yet the endpoint's name does not resolve or nothing there answers.
  case unreachable
  /// A login page answers in the endpoint's place.
  case captivePortal = "captive_portal"
  /// The path is open, but a store that machines share, without which nothing may be asked, is gone.
  case sharedUnreachable = "shared_unreachable"

  /// Orders causes from the lowest layer up.
  public static func < (left: OfflineCause, right: OfflineCause) -> Bool {
    left.layer < right.layer
  }

  private var layer: Int {
    switch self {
    case .noInterface: 0
    case .linkDown: 1
    case .noAddress: 2
    case .noRoute: 3
    case .unreachable: 4
    case .captivePortal: 5
    case .sharedUnreachable: 6
    }
  }

  /// What is wrong, in words for a person.
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
