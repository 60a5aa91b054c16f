import SondeOptions
import SondeProviders
import SondeReachability
import SondeTransfer

/// The part of the network to watch, as configured by the options.
struct WatchSetup {
  private let context: Context
  private let connections: ConnectionSetup

  private var options: Options { context.options }

  init(_ context: Context) {
    self.context = context
    connections = ConnectionSetup(context)
  }

  /// The endpoint whose path is watched: the given host, or the first remote provider.
  ///
  /// - Throws: ``UsageError`` if there is none.
  func endpoint() throws -> SondeReachability.Endpoint {
    if let endpoint = options.endpoint { return endpoint }
    guard let provider = options.providers.first(where: { $0.service != nil }),
      let api = try ProviderSetup(context).api(of: provider)
    else {
      throw context.usageError("the provider local has no endpoint; give one with --endpoint")
    }
    guard let path = try connections.path(to: api) else {
      throw context.usageError("\(api.base.authority) is no endpoint; give one with --endpoint")
    }
    return path
  }

  /// Starts a monitor of the path to an endpoint.
  ///
  /// - Throws: ``UsageError`` for an invalid page or proxy, or the error of the monitor.
  func monitor(of endpoint: SondeReachability.Endpoint) throws -> NetworkMonitor {
    var configuration = NetworkMonitor.Configuration(endpoint: endpoint)
    configuration.interval = options.interval
    configuration.probeInterval = options.probe
    configuration.settle = options.settle
    guard let page = options.portalURL else { return try NetworkMonitor(configuration) }
    guard try SondeTransfer.Endpoint(url: page) != nil else {
      throw context.valueError("portal-url", " is not an http:// or https:// URL")
    }
    let probe = PortalProbe(
      page: page,
      client: try connections.client(),
      connection: ConnectionProbe(endpoint: endpoint, timeout: configuration.probeTimeout)
    )
    return try NetworkMonitor(configuration) { await probe() }
  }
}
