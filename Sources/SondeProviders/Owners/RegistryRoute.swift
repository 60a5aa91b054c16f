public import SondeAddresses
public import SondeTransfer

/// The URL of a question about an address, including redirects (RFC 7480 §5.2).
public struct RegistryRoute: Sendable {
  /// The largest number of redirects followed.
  private static let mostRedirects = 3

  /// The current URL, without a mirror.
  private var url: String
  private var seen: Set<String>
  private let mirror: BaseURL?

  /// The registry against whose limit a request counts.
  ///
  /// A host that is not a regional registry's acts for the registry that redirected there, like
  /// national registries (LACNIC redirects to registro.br).
  public private(set) var registry: Registry

  /// Starts at the URL of a registry's service, with a final slash, or at a mirror, whose paths
  /// begin with the service's host; `nil` if the service's URL is invalid.
  public init?(to service: String, about address: Address, mirror: BaseURL?) {
    // RFC 9082 §3.1.1.
    url = "\(service)ip/\(address)"
    guard let endpoint = try? Endpoint(url: url) else { return nil }
    registry = Registry(host: endpoint.authority)
    seen = [url]
    self.mirror = mirror
  }

  /// The URL to send the request to.
  public var requestURL: String {
    guard let mirror, let endpoint = try? Endpoint(url: url), !endpoint.isLoopback,
      let scheme = url.firstRange(of: "://")
    else { return url }
    return "\(mirror.text)/\(url[scheme.upperBound...])"
  }

  /// Follows a redirect; returns why it is not followed, or `nil` if it is.
  public mutating func follow(_ response: Response) -> String? {
    guard let next = target(of: response), let endpoint = try? Endpoint(url: next) else {
      return "is redirected nowhere (HTTP \(response.status))"
    }
    guard endpoint.isSecure || endpoint.isLoopback else { return "is redirected away from HTTPS" }
    guard seen.insert(next).inserted else { return "is redirected in a circle" }
    guard seen.count <= Self.mostRedirects + 1 else { return "is redirected too often" }
    url = next
    registry = Registry(regionalHost: endpoint.host) ?? registry
    return nil
  }

  /// The target of a redirect without a mirror, which may name itself in it.
  private func target(of response: Response) -> String? {
    guard let location = response.header("location"), !location.isEmpty,
      let resolved = response.redirection(from: url)
    else { return nil }
    guard let mirror else { return resolved }
    if let own = Self.place(location, below: mirror.text) { return own }
    return Self.place(location, below: mirror.path) ?? resolved
  }

  /// The original URL of a URL below a mirror, if its first part is a regional registry's host.
  private static func place(_ location: String, below base: String) -> String? {
    guard location.hasPrefix(base + "/") else { return nil }
    let rest = location.dropFirst(base.count + 1)
    let host = rest.prefix { $0 != "/" }
    return Registry(regionalHost: String(host)) == nil ? nil : "https://\(rest)"
  }
}
