package import SondeAsking
import SondeOptions
package import SondeProviders
package import SondeReachability
package import SondeTransfer

/// How web APIs are reached: directly, or through proxies from the environment.
package struct ConnectionSetup {
  private let context: Context

  package init(_ context: Context) { self.context = context }

  /// Creates a client with connections of its own, at least so many for each host.
  ///
  /// - Throws: ``UsageError`` for an invalid proxy, or the error of the client.
  package func client(connections: Int = 16) throws -> HTTPClient {
    var configuration = HTTPClient.Configuration(userAgent: "sonde/\(Version.number)")
    configuration.maximumConnections = max(connections, context.options.concurrency)
    configuration.proxies = try proxies()
    return try HTTPClient(configuration: configuration)
  }

  /// The first hop of requests to a web API: its host or the proxy.
  ///
  /// - Throws: ``UsageError`` for an invalid proxy.
  package func path(to api: any RemoteAPI) throws -> SondeReachability.Endpoint? {
    try path(to: api.base, withSecret: api.credential != nil)
  }

  /// The first hop of requests to a host: the host or the proxy.
  ///
  /// - Throws: ``UsageError`` for an invalid proxy.
  package func path(
    to base: BaseURL,
    withSecret hasSecret: Bool
  ) throws -> SondeReachability.Endpoint? {
    guard let target = try base.endpoint else { return nil }
    let proxy = try proxies().proxy(to: target, withSecret: hasSecret)
    let (host, port) = proxy.map { ($0.host, $0.port) } ?? (target.host, target.port)
    let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return UInt16(exactly: port).map { SondeReachability.Endpoint(host: plain, port: $0) }
  }

  /// The question for this machine's public address.
  ///
  /// - Throws: ``UsageError`` for an invalid proxy, or the error of the client.
  package func publicAddress(
    from service: IPify,
    _ rules: AskingRules,
    report: @escaping EventHandler
  ) throws -> PublicAddress {
    PublicAddress(
      from: service,
      client: try client(),
      rules: rules,
      path: try path(to: service.base, withSecret: false),
      report: report
    )
  }

  private func proxies() throws -> ProxyRules {
    do {
      return try ProxyRules(environment: context.environment)
    } catch let error as ProxyRules.VariableError {
      throw context.setupError("\(error)")
    }
  }
}
