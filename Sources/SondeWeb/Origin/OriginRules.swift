/// Rules for the origin of requests, which protect against foreign pages and against foreign names
/// that resolve to this machine (DNS rebinding).
struct OriginRules: Sendable {
  /// The accepted `Host` values, with explicit ports.
  private let hosts: Set<Authority>
  /// The port accepted with loopback names.
  private let port: Int
  /// The scheme of the listening port.
  private let scheme: Scheme
  private let publicURL: PublicURL?

  /// The scheme is that of the listening port; the public URL is `nil` if it is not different.
  init(listening: Authority, scheme: Scheme = .http, publicURL: PublicURL?) {
    self.scheme = scheme
    var hosts: Set = [listening.withPort(of: scheme)]
    if let publicURL { hosts.insert(publicURL.authority.withPort(of: publicURL.scheme)) }
    (self.hosts, self.publicURL) = (hosts, publicURL)
    port = listening.port ?? scheme.defaultPort
  }

  /// The properties of a request that are checked first.
  struct Question {
    var method: Method?
    var host: String?
    var origin: String?
    /// The `Sec-Fetch-Site`, `-Mode` and `-Dest` headers (W3C Fetch Metadata).
    var site: String?, mode: String?, destination: String?
    /// Whether the path is a view, a page that may be opened from anywhere.
    var isView = false
  }

  /// Why a request is refused; `nil` if it is accepted.
  func refusal(of question: Question) -> String? {
    guard let text = question.host, let host = Authority(text), allows(host) else {
      return "this server is not known by that Host"
    }
    if let site = question.site, site != "same-origin", site != "none", !isNavigation(question) {
      return "a page of another site asked"
    }
    if question.method?.isSafe != true, let origin = question.origin, !isOwn(origin, at: host) {
      return "a page of another origin asked"
    }
    return nil
  }

  private func allows(_ host: Authority) -> Bool {
    if hosts.contains(host.withPort(of: scheme)) { return true }
    // Without a port, the public scheme applies, since only public names may omit it.
    if let publicURL, hosts.contains(host.withPort(of: publicURL.scheme)) { return true }
    return host.withPort(of: scheme).port == port && host.isLoopback
  }

  /// Whether the user follows a link, or types the address.
  private func isNavigation(_ question: Question) -> Bool {
    question.isView && question.method?.isSafe == true && question.mode == "navigate"
      && question.destination == "document"
  }

  private func isOwn(_ origin: String, at host: Authority) -> Bool {
    let origin = origin.lowercased()
    if let publicURL {
      if origin == publicURL.origin { return true }
      // The public name has one scheme only.
      if host.withPort(of: publicURL.scheme) == publicURL.authority.withPort(of: publicURL.scheme) {
        return false
      }
    }
    let isUsual = host.port == scheme.defaultPort
    let plain = Authority(host: host.host, port: isUsual ? nil : host.port)
    return origin == PublicURL(scheme: scheme, authority: plain).origin
  }
}

extension Authority {
  /// Whether it can only be this machine.
  public var isLoopback: Bool { host == "localhost" || address?.isLoopback == true }

  /// Whether it means all addresses of this machine: `0.0.0.0`, `::`.
  public var isUnspecified: Bool {
    guard let address else { return false }
    return address.isIPv4
      ? UInt32(truncatingIfNeeded: address.low) == 0 : address.high == 0 && address.low == 0
  }

  private var address: NumericAddress? {
    NumericAddress(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
  }
}
