internal import CSondeCurl

/// A proxy, identified by its URL.
///
/// The URL may contain a password, so it is never printed.
public struct Proxy: Hashable, Sendable {
  /// The proxy protocols of libcurl (`CURLOPT_PROXY`(3)).
  private static let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// The proxy's host: lower case, IPv6 in brackets.
  public let host: String

  /// The proxy's port.
  public let port: Int

  let url: String

  /// Parses a URL as libcurl would; `nil` if libcurl could not use such a proxy.
  ///
  /// Without a scheme it is `http`; without a port it is 443 for `https` and 1080 otherwise. Throws
  /// if libcurl cannot be loaded.
  public init?(url: String) throws(TransferError) {
    let whole = url.contains("://") ? url : "http://" + url
    guard let parsed = try ParsedURL(whole, allowsAnyScheme: true),
      let scheme = parsed.component(CURLUPART_SCHEME), Self.schemes.contains(scheme),
      let host = parsed.component(CURLUPART_HOST), !host.isEmpty
    else { return nil }
    self.url = whole
    self.host = host.lowercased()
    let standard = scheme == "https" ? 443 : 1080
    port = parsed.component(CURLUPART_PORT).flatMap { Int($0) } ?? standard
  }
}

extension Proxy: CustomStringConvertible, CustomReflectable {
  /// Host and port, without user and password.
  public var description: String { "\(host):\(port)" }

  /// Shows only ``description``, also to `dump`.
  public var customMirror: Mirror { Mirror(reflecting: description) }
}
