import SondeAsking
package import SondeAlerts
import SondeOptions
import SondeProviders
package import SondeReachability
import SondeRecords
import SondeTransfer

/// The part of the network to watch, as configured by the options.
package struct WatchSetup {
  private let context: Context
  private let connections: ConnectionSetup

  private var options: Options { context.options }

  package init(_ context: Context) {
    self.context = context
    connections = ConnectionSetup(context)
  }

  /// The endpoints whose paths are watched: the given hosts, or the first remote provider.
  ///
  /// - Throws: ``UsageError`` if there is none, one is given twice, or there are too few.
  package func endpoints() throws -> [SondeReachability.Endpoint] {
    let endpoints = options.endpoints.isEmpty ? [try providerEndpoint()] : options.endpoints
    var seen: Set<SondeReachability.Endpoint> = []
    if let twice = endpoints.first(where: { !seen.insert($0.canonical).inserted }) {
      throw context.valueError("endpoint", ": \(twice) stands there twice")
    }
    guard options.quorum <= endpoints.count else {
      let number = count(endpoints.count, "endpoint is", "endpoints are")
      throw context.valueError("quorum", ": only \(number) watched")
    }
    return endpoints
  }

  /// The only endpoint.
  ///
  /// - Throws: ``UsageError`` if there is none, or several are given.
  package func endpoint() throws -> SondeReachability.Endpoint {
    let endpoints = try endpoints()
    guard endpoints.count == 1 else {
      throw context.valueError(
        "endpoint",
        ": \(context.command) looks at one endpoint, not at \(endpoints.count)"
      )
    }
    return endpoints[0]
  }

  private func providerEndpoint() throws -> SondeReachability.Endpoint {
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
  package func monitor(of endpoint: SondeReachability.Endpoint) throws -> NetworkMonitor {
    try NetworkMonitor(
      configuration(of: endpoint),
      measuring: Self.probe(of: endpoint, and: try portalPage())
    )
  }

  /// Starts watching the paths to all endpoints, after a watch that ended in a state.
  ///
  /// - Throws: ``UsageError`` for invalid settings, or the error of the monitors.
  package func group(
    of endpoints: [SondeReachability.Endpoint],
    after unended: UnendedState? = nil
  ) throws -> EndpointGroup {
    if options.degraded != nil, options.probe == .zero {
      throw context.usageError("--degraded judges probes, which --probe 0 turns off")
    }
    let page = try portalPage()
    var configurations = endpoints.map(configuration)
    for index in configurations.indices { configurations[index].earlier = unended?.degradedCause }
    return try EndpointGroup(configurations, quorum: options.quorum) {
      Self.probe(of: $0, and: page)
    }
  }

  private static func probe(
    of endpoint: SondeReachability.Endpoint,
    and page: PortalPage?
  ) -> NetworkMonitor.MeasuringProbe? {
    guard let page else { return nil }
    let probe = PortalProbe(page: page, endpoint: endpoint)
    return { await probe() }
  }

  private func configuration(
    of endpoint: SondeReachability.Endpoint
  ) -> NetworkMonitor.Configuration {
    var configuration = NetworkMonitor.Configuration(endpoint: endpoint)
    configuration.interval = options.interval
    // The first state alone is not judged, which takes many probes.
    configuration.limits = options.once || options.testAlert ? nil : options.degraded
    configuration.probeInterval = options.probe ?? .seconds(options.degraded == nil ? 30 : 1)
    configuration.settle = options.settle
    return configuration
  }

  /// The heartbeat, if one is wanted.
  ///
  /// - Throws: ``UsageError`` for an invalid URL or proxy.
  package func heartbeat() throws -> Heartbeat? {
    guard let url = options.heartbeat else { return nil }
    guard try SondeTransfer.Endpoint(url: Heartbeat.url(url, in: .online)) != nil else {
      throw context.valueError("heartbeat", " is not an http:// or https:// URL")
    }
    return Heartbeat(
      url: url,
      every: options.heartbeatEvery,
      client: try connections.client(),
      console: context.console
    )
  }

  /// The page that shows whether there is a login page, if any.
  private func portalPage() throws -> PortalPage? {
    guard let page = options.portalURL else { return nil }
    guard try SondeTransfer.Endpoint(url: page) != nil else {
      throw context.valueError("portal-url", " is not an http:// or https:// URL")
    }
    return PortalPage(url: page, client: try connections.client())
  }
}
