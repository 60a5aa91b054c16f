public import SondeProviders

/// How a web service is reached: itself or a mirror, and with which key.
public struct ServiceAccess: Sendable {
  /// A mirror, whose paths begin with the host; `nil` for the service itself.
  public var mirror: BaseURL?
  /// The key of an account, which must never be shown or stored; `nil` without one.
  public var key: String?

  /// Creates the default: the service itself, without a key.
  public init(mirror: BaseURL? = nil, key: String? = nil) {
    (self.mirror, self.key) = (mirror, key)
  }
}
