/// Why a request fails.
public struct DashboardError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of problem: the end of its URN (`urn:sonde:…`).
  public enum Kind: String, Sendable, CaseIterable {
    case invalidAddress = "invalid-address"
    case networkLost = "network-lost"
    case provider, quota, rate
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
      case .quota, .rate: 429
      case .notFound: 404
      case .conflict: 409
      case .tooLarge: 413
      case .disk: 507
      }
    }
  }

  /// The kind of problem.
  public let kind: Kind

  /// The reason, for people.
  public let detail: String

  /// The cause as in events, if the network is the reason.
  public var cause: String?

  /// The time after which to retry.
  public var retryAfter: Duration?

  /// Creates an error.
  public init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

  /// The reason.
  public var description: String { detail }

  init(_ error: StateError) { self.init(.disk, error.description) }
}
