import Glibc
import SondeAsking
import SondeOutputs
import SondeReachability
import SondeWeb

/// Answers only `GET /metrics`, until the process ends.
struct MetricsServer: Sendable {
  let address: SondeReachability.Endpoint
  private let server: Server

  /// Starts listening, at port 0 on any free one; `page` is called for each request.
  ///
  /// - Throws: `OutputError` if the listener cannot be opened, `ServerError` without libmicrohttpd.
  init(
    on place: SondeReachability.Endpoint,
    page: @escaping @Sendable () -> String
  ) throws {
    guard let host = place.firstAddress else {
      throw OutputError(name: "\(place)", code: EADDRNOTAVAIL)
    }
    let listen = Authority(host: host.contains(":") ? "[\(host)]" : host, port: Int(place.port))
    var configuration = Server.Configuration(listen: listen)
    // Prometheus may use any of a machine's host names.
    configuration.checksOrigin = false
    configuration.problemPrefix = "urn:sonde:"
    configuration.limits.connections = 64
    configuration.limits.headerTime = .seconds(3)
    configuration.limits.idleTime = .seconds(3)
    var routes = Routes<Never>()
    routes.on(.get, "/metrics") { _ in
      .bytes(Array(page().utf8), type: Metrics.type).with("Connection", "close")
    }
    do throws(ServerError) {
      server = try Server(configuration, routes: routes, sessions: NoSessions())
    } catch {
      guard case .listening(_, let code) = error else { throw error }
      throw OutputError(name: "\(place)", code: code)
    }
    let port = UInt16(clamping: server.listening.port ?? 0)
    address = SondeReachability.Endpoint(host: place.host, port: port)
  }
}
