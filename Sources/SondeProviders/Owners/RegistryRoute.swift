public import SondeAddresses
public import SondeTransfer

/// Where a question about an address is asked, and where redirects take it (RFC 7480 §5.2).
public struct RegistryRoute: Sendable {
  /// A question is sent on no oftener than this.
  private static let mostRedirects = 3

  /// The URL that is asked, at its own place.
  private var url: String
  private var seen: Set<String>
  private let mirror: BaseURL?

  /// In whose window a request counts.
  ///
  /// A host of none of the regional registries acts for the one that sent there, as national ones do
  /// (LACNIC sends to registro.br).
  public private(set) var registry: Registry

  /// Begins a route; `nil` where the service's URL is none.
  ///
  /// - Parameters:
  ///   - service: The URL of a registry's service, with a slash at its end.
  ///   - address: What is asked about.
  ///   - mirror: Where it is asked instead: the host becomes the first part of the path.
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

  /// Goes where a response sends.
  ///
  /// - Returns: Why that is not followed; `nil` where it is.
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

  /// Where a response sends, at its own place; a mirror may name places as its own.
  private func target(of response: Response) -> String? {
    guard let location = response.header("location"), !location.isEmpty,
      let resolved = response.redirection(from: url)
    else { return nil }
    guard let mirror else { return resolved }
    if let own = Self.place(location, below: mirror.text) { return own }
    return Self.place(location, below: mirror.path) ?? resolved
  }

  /// The place of its own of a URL below a mirror, where its first part is a regional registry's host.
  private static func place(_ location: String, below base: String) -> String? {
    guard location.hasPrefix(base + "/") else { return nil }
    let rest = location.dropFirst(base.count + 1)
    let host = rest.prefix { $0 != "/" }
    return Registry(regionalHost: String(host)) == nil ? nil : "https://\(rest)"
  }
}
