internal import CCurl

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
  public init?(url: String) {
    // A zero byte would end the text early in C.
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), let parsed = ParsedURL(url) else {
      return nil
    }
    switch parsed.part(CURLUPART_SCHEME) {
    case "http": isSecure = false
    case "https": isSecure = true
    default: return nil
    }
    guard let host = parsed.part(CURLUPART_HOST), !host.isEmpty,
      let port = parsed.part(CURLUPART_PORT).flatMap({ Int($0) })
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
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        // Digits alone: a sign would make it a name, and a name server could answer anything.
        part.allSatisfy { (0x30...0x39).contains($0) } && UInt8(Substring(part)) != nil
      }
  }
}

/// The part of a URL that holds no secret: scheme, host and port.
///
/// User, password, path, query and fragment are left out, since keys travel in any of them.
public func redacted(url: String) -> String {
  guard let endpoint = Endpoint(url: url) else { return "(not an http URL)" }
  return (endpoint.isSecure ? "https://" : "http://") + endpoint.authority
}

/// A `CURLU`, used and freed by the thread that made it (libcurl-url(3)).
@safe private struct ParsedURL: ~Copyable {
  private let handle: OpaquePointer

  init?(_ url: String) {
    guard let handle = unsafe curl_url() else { return nil }
    // No flags: a URL without a scheme is not guessed at.
    guard unsafe curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else {
      unsafe curl_url_cleanup(handle)
      return nil
    }
    unsafe self.handle = handle
  }

  func part(_ part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = UInt32(CURLU_DEFAULT_PORT)
    guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text
    else { return nil }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }

  deinit { unsafe curl_url_cleanup(handle) }
}
