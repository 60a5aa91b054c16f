/// What an attempt to reach the endpoint, a transfer's or a probe's, tells about the path to it.
public enum Finding: String, Sendable, CaseIterable {
  /// The endpoint itself answered as it should: the path is open, and no login page is in between.
  case answered
  /// Something at the far end answered: connected, refused, reset, failed in TLS, or an HTTP error.
  ///
  /// The path is not at fault, if anything is; but a login page may still be in between.
  case provedOpen
  /// The name did not resolve, or no name server answered.
  case notResolved
  /// Connecting timed out.
  case timedOut
  /// The kernel or a router answered that there is no route.
  case noRoute
  /// The kernel, or a packet filter, does not allow the connection (`EACCES`, `EPERM`).
  case notPermitted
  /// HTML or a redirect came where JSON was due.
  case loginPage
  /// The attempt tells nothing, for instance because it could not be made.
  case inconclusive

  /// Whether it tells that the endpoint cannot be reached.
  var speaksOfLoss: Bool {
    switch self {
    case .notResolved, .timedOut, .noRoute, .notPermitted: true
    case .answered, .provedOpen, .loginPage, .inconclusive: false
    }
  }

  /// What was found out about an endpoint, in words for a person.
  func words(of endpoint: String) -> String {
    switch self {
    case .answered, .provedOpen: "\(endpoint) answers"
    case .notResolved: "the name of \(endpoint) does not resolve"
    case .timedOut: "\(endpoint) does not answer"
    case .noRoute: "connecting to \(endpoint) is answered: no route to host"
    case .notPermitted: "connecting to \(endpoint) is not permitted"
    case .loginPage: "a login page answers in place of \(endpoint)"
    case .inconclusive: "nothing is known of \(endpoint)"
    }
  }
}
