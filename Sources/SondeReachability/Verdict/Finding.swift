/// What an attempt to reach the endpoint, by a transfer or a probe, shows about the path.
public enum Finding: String, Sendable, CaseIterable {
  /// The endpoint answered correctly: the path is open, without a login page.
  case answered
  /// Something at the far end answered: connected, refused, reset, failed in TLS, or an HTTP error.
  ///
  /// The path is open, but a login page may still intercept requests.
  case provedOpen
  /// The name did not resolve, or no name server answered.
  case notResolved
  /// Connecting timed out.
  case timedOut
  /// The kernel or a router reported that there is no route.
  case noRoute
  /// The kernel, or a packet filter, does not allow the connection (`EACCES`, `EPERM`).
  case notPermitted
  /// HTML or a redirect arrived instead of JSON.
  case loginPage
  /// The attempt shows nothing, for example because it could not be made.
  case inconclusive

  /// Whether it suggests that the endpoint is unreachable.
  package var speaksOfLoss: Bool {
    switch self {
    case .notResolved, .timedOut, .noRoute, .notPermitted: true
    case .answered, .provedOpen, .loginPage, .inconclusive: false
    }
  }

  /// The finding about an endpoint, in plain words.
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
