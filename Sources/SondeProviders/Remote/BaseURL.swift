public import SondeTransfer

/// The base URL of a service, to which the paths of requests are appended.
public struct BaseURL: Sendable, Equatable {
  /// Scheme, host, port and path, without a final slash.
  public let text: String

  /// Creates a base URL as given by the user or the program.
  public init(_ text: String) {
    var text = text[...]
    while text.last == "/" { text.removeLast() }
    self.text = String(text)
  }

  /// The path without a final slash; empty for the root.
  public var path: String {
    guard let scheme = text.firstRange(of: "://") else { return "" }
    let place = text[scheme.upperBound...]
    return String(place[(place.firstIndex(of: "/") ?? place.endIndex)...])
  }

  /// The endpoint, or `nil` for a URL other than `http` and `https`; fails if libcurl, which parses
  /// it, cannot be loaded.
  public var endpoint: Endpoint? { get throws(TransferError) { try Endpoint(url: text) } }

  /// Whether requests stay on this machine.
  public var isLoopback: Bool { (try? endpoint)?.isLoopback ?? false }
  var isSecure: Bool { (try? endpoint)?.isSecure ?? false }

  /// The host, and the port unless it is the scheme's default, for people.
  public var authority: String { (try? endpoint)?.authority ?? "(no URL)" }
}
