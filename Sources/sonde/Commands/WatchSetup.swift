import Glibc
import Providers
import Reachability
import Transfer

extension Context {
  /// What the path must lead to: the host given, or the first remote provider of the list.
  func watchedEndpoint() throws -> Reachability.Endpoint {
    if let endpoint = options.endpoint { return endpoint }
    guard let provider = options.providers.first(where: { $0.service != nil }),
      let api = try api(of: provider)
    else { throw usageError("the provider local has no endpoint; give one with --endpoint") }
    guard let path = try path(to: api) else {
      throw usageError("\(api.base.authority) is no endpoint; give one with --endpoint")
    }
    return path
  }

  /// Starts a monitor of the way there, as the options want it.
  func networkMonitor(of endpoint: Reachability.Endpoint) throws -> NetworkMonitor {
    var configuration = NetworkMonitor.Configuration(endpoint: endpoint)
    configuration.interval = options.interval
    configuration.probeInterval = options.probe
    configuration.settle = options.settle
    guard let page = options.portalURL else { return try NetworkMonitor(configuration) }
    guard try Transfer.Endpoint(url: page) != nil else {
      throw usageError("--portal-url is not an http:// or https:// URL")
    }
    let probe = PortalProbe(
      page: page,
      client: try HTTPClient(configuration: clientConfiguration()),
      connection: ConnectionProbe(endpoint: endpoint, timeout: configuration.probeTimeout)
    )
    return try NetworkMonitor(configuration) { await probe() }
  }

  /// Whether what goes to stdout is colored.
  var colorsOutput: Bool {
    usesColor(options.color, isTerminal: writesToTerminal, environment: environment)
  }
}
