internal import CSondeCurl

/// Where a URL leads, and all of it that may be shown.
public struct Endpoint: Hashable, Sendable {
  /// Whether the scheme is `https`.
  public let isSecure: Bool

  /// The host as libcurl will connect to it: lower case, IPv4 in dotted form, IPv6 in brackets.
  public let host: String

  /// The port, the scheme's own one included.
  public let port: Int

  /// Reads a URL with libcurl's own parser, so that what is judged here is what it connects to.
  ///
  /// - Returns: `nil` unless it is a valid `http` or `https` URL with a host.
  /// - Throws: ``TransferError`` where libcurl cannot be loaded.
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

  /// Whether the host is this machine's loopback, whatever a name server says.
  ///
  /// libcurl resolves `localhost` itself (RFC 6761 §6.3) and has already written IPv4 in full.
  public var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && isIPv4Literal)
  }

  /// The host, and the port if it is not the scheme's own.
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
        // Digits alone: a sign would make it a name, and a name server could answer anything.
        octet.allSatisfy { (0x30...0x39).contains($0) } && UInt8(Substring(octet)) != nil
      }
  }
}

/// What of a URL holds no secret: scheme, host and port.
///
/// User, password, path, query and fragment are left out, since keys travel in any of them.
public func redacted(url: String) -> String {
  guard let endpoint = try? Endpoint(url: url) else { return "(not an http URL)" }
  return (endpoint.isSecure ? "https://" : "http://") + endpoint.authority
}
