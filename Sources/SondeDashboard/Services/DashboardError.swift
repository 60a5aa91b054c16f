/// Why something that was asked for is not done.
public struct DashboardError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of problem it is: the end of its URN (`urn:sonde:…`).
  public enum Kind: String, Sendable, CaseIterable {
    case invalidAddress = "invalid-address"
    case networkLost = "network-lost"
    case provider, quota
    case notFound = "not-found"
    case conflict, invalid
    case tooLarge = "too-large"
    case disk

    /// The HTTP status of the response.
    public var status: Int {
      switch self {
      case .invalidAddress, .invalid: 422
      case .networkLost: 503
      case .provider: 502
      case .quota: 429
      case .notFound: 404
      case .conflict: 409
      case .tooLarge: 413
      case .disk: 507
      }
    }
  }

  /// What kind of problem it is.
  public let kind: Kind

  /// The reason, for a person.
  public let detail: String

  /// Where the network is it: the cause as in events.
  public var cause: String?

  /// When it may be tried again.
  public var retryAfter: Duration?

  /// Names a problem.
  public init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

  /// The reason.
  public var description: String { detail }

  /// Creates the error of a failure of the state.
  init(_ error: StateError) {
    self.init(.disk, error.description)
  }
}
