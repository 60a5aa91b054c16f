import Glibc
import SondeAsking
import SondeOutputs
import SondeReachability
import SondeWeb

/// Answers `GET /metrics`, and nothing else, until the process ends.
struct MetricsServer: Sendable {
  /// Where it listens, as a URL shows it.
  let address: SondeReachability.Endpoint

  private let server: Server

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - place: Where; port 0 is any that is free.
  ///   - page: Makes the text that is served, for each request.
  /// - Throws: `OutputError` where nobody can listen there, `ServerError` without libmicrohttpd.
  init(
    on place: SondeReachability.Endpoint,
    page: @escaping @Sendable () -> String
  ) throws {
    guard let host = place.firstAddress else {
      throw OutputError(name: "\(place)", code: EADDRNOTAVAIL)
    }
    let listen = Authority(host: host.contains(":") ? "[\(host)]" : host, port: Int(place.port))
    var configuration = Server.Configuration(listen: listen)
    // A machine has many names, and Prometheus uses any of them.
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
