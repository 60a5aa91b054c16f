public import SondeTransfer

/// Where a service is: what its requests' paths are put behind.
public struct BaseURL: Sendable, Equatable {
  /// Scheme, host, port and path, without a slash at the end.
  public let text: String

  /// Takes a URL as the user or the program gives it.
  public init(_ text: String) {
    var text = text[...]
    while text.last == "/" { text.removeLast() }
    self.text = String(text)
  }

  /// The path, without a slash at the end: nothing where it is the root.
  public var path: String {
    guard let scheme = text.firstRange(of: "://") else { return "" }
    let place = text[scheme.upperBound...]
    return String(place[(place.firstIndex(of: "/") ?? place.endIndex)...])
  }

  /// Where the URL leads; `nil` when it is no `http` or `https` URL.
  /// - Throws: `TransferError` where libcurl, which reads it, cannot be loaded.
  public var endpoint: Endpoint? { get throws(TransferError) { try Endpoint(url: text) } }

  /// Whether what is sent there stays on this machine.
  public var isLoopback: Bool { (try? endpoint)?.isLoopback ?? false }

  /// Whether what is sent there is encrypted.
  var isSecure: Bool { (try? endpoint)?.isSecure ?? false }

  /// The host, and the port if it is not the scheme's own, for a person.
  public var authority: String { (try? endpoint)?.authority ?? "(no URL)" }
}
