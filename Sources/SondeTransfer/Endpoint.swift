internal import CSondeCurl

/// The part of a URL that determines the connection and may be shown.
public struct Endpoint: Hashable, Sendable {
  /// Whether the scheme is `https`.
  public let isSecure: Bool

  /// The host as libcurl connects to it: lower case, IPv4 in dotted form, IPv6 in brackets.
  public let host: String

  /// The port; the scheme's default if the URL has none.
  public let port: Int

  /// Parses a URL with libcurl's own parser, so that libcurl connects to the same host.
  ///
  /// `nil` unless it is a valid `http` or `https` URL with a host. Throws if libcurl cannot load.
  public init?(url: String) throws(TransferError) {
    guard let parsed = try ParsedURL(url) else { return nil }
    switch parsed.component(CURLUPART_SCHEME) {
    case "http": isSecure = false
    case "https": isSecure = true
    default: return nil
    }
    guard let host = parsed.component(CURLUPART_HOST), !host.isEmpty,
      let port = parsed.component(CURLUPART_PORT, orDefaultPort: true).flatMap({ Int($0) })
    else { return nil }
    self.host = host.lowercased()
    self.port = port
  }

  /// Whether the host is this machine's loopback, regardless of name servers.
  ///
  /// libcurl itself resolves `localhost` (RFC 6761 §6.3) and has normalised IPv4 addresses.
  public var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && isIPv4Literal)
  }

  /// The host, and the port unless it is the scheme's default.
  public var authority: String {
    let isStandardPort = port == (isSecure ? 443 : 80)
    return isStandardPort ? host : "\(host):\(port)"
  }

  /// Whether the host needs no name resolution.
  var isLiteral: Bool { host.hasPrefix("[") || isIPv4Literal }

  private var isIPv4Literal: Bool {
    let octets = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return octets.count == 4
      && octets.allSatisfy { octet in
        // Digits only: with a sign it would be a name, which a name server could resolve to any
        // address.
        octet.allSatisfy { (0x30...0x39).contains($0) } && UInt8(Substring(octet)) != nil
      }
  }
}

/// The parts of a URL that hold no secret: scheme, host and port.
///
/// User, password, path, query and fragment are omitted, since any of them may contain keys.
public func redacted(url: String) -> String {
  guard let endpoint = try? Endpoint(url: url) else { return "(not an http URL)" }
  return (endpoint.isSecure ? "https://" : "http://") + endpoint.authority
}
