internal import CSondeCurl

/// A proxy, by the URL that names it.
///
/// The URL may hold a password, so it is never printed.
public struct Proxy: Hashable, Sendable {
  /// What libcurl speaks to proxies (`CURLOPT_PROXY`(3)).
  private static let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// The host that connections are made to: lower case, IPv6 in brackets.
  public let host: String

  /// The port that connections are made to.
  public let port: Int

  let url: String

  /// Reads a URL as libcurl would: without a scheme it is `http`, and the port is 443 for `https`
  /// and else 1080 unless it is named.
  ///
  /// - Returns: `nil` where it names no proxy that libcurl could use.
  /// - Throws: ``TransferError`` where libcurl cannot be loaded.
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

  /// Shows no more than ``description`` to `dump` either.
  public var customMirror: Mirror { Mirror(reflecting: description) }
}
