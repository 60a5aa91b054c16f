import Providers
import Reachability
import Transfer

extension Context {
  /// Where the requests for a URL go first: to its host, or to the proxy that libcurl takes from the
  /// environment (libcurl-env(3)).
  func way(to base: BaseURL) -> Reachability.Endpoint? {
    guard let target = base.endpoint else { return nil }
    let proxy = proxy(for: target).flatMap { Transfer.Endpoint(url: $0) } ?? target
    let host = proxy.host.hasPrefix("[") ? String(proxy.host.dropFirst().dropLast()) : proxy.host
    return UInt16(exactly: proxy.port).map { Reachability.Endpoint(host: host, port: $0) }
  }

  /// The URL of the proxy for an endpoint, if one is set and not excepted.
  private func proxy(for endpoint: Transfer.Endpoint) -> String? {
    // http_proxy is read in lower case only, since CGI programs are given HTTP_PROXY by clients.
    let names = endpoint.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    let values = (names + ["all_proxy", "ALL_PROXY"]).compactMap { environment[$0] }
    guard let value = values.first(where: { !$0.isEmpty }), !isExcepted(endpoint.host) else {
      return nil
    }
    return value.contains("://") ? value : "http://" + value
  }

  private func isExcepted(_ host: String) -> Bool {
    let list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    return list.split { $0 == "," || $0 == " " }.contains { entry in
      let name = entry.drop { $0 == "." }.lowercased()
      return entry == "*" || host == name || host.hasSuffix("." + name)
    }
  }
}
