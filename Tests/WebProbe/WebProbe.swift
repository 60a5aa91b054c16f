import Glibc
import Synchronization
import SondeSystem
import SondeWeb

/// A server for tests in Python: says where it listens, and stops when its input ends.
///
/// Its arguments are settings: `url=https://example.org/sub/`, `folder=/tmp/x`, `connections=100`,
/// `seconds=2` for headers and the window of bodies, `lifetime=2` for sessions.
@main enum WebProbe {
  static func main() async throws {
    let pairs = CommandLine.arguments.dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
    let settings = Dictionary(pairs.map { ($0[0], String($0[1])) }) { $1 }
    var limits = EventHub.Limits()
    let lifetime = settings["lifetime"].flatMap { Int64($0) }.map { Duration.seconds($0) }
    if lifetime != nil { limits.heartbeat = .milliseconds(100) }
    let hub = EventHub(limits)
    let sessions = ProbeSessions()
    let server = try Server(
      configuration(settings),
      routes: routes(hub, sessions, lasting: lifetime, folder: settings["folder"] ?? "/tmp"),
      sessions: sessions
    )
    print("\(server.listening)")
    fflush(nil)
    await inputEnds()
    await server.stop()
  }

  private static func configuration(_ settings: [Substring: String]) -> Server.Configuration {
    var configuration = Server.Configuration(
      listen: Authority(host: "127.0.0.1", port: 0),
      publicURL: settings["url"].flatMap { PublicURL($0) },
      cookieName: "probe"
    )
    configuration.proxies = ["127.0.0.1"].compactMap { PeerNetwork($0) }
    if let connections = settings["connections"].flatMap({ Int($0) }) {
      configuration.limits.connections = connections
    }
    if let seconds = settings["seconds"].flatMap({ Int($0) }) {
      configuration.limits.headerTime = .seconds(seconds)
      configuration.limits.bodyTime = .seconds(seconds)
    }
    return configuration
  }

  private static func inputEnds() async {
    await withCheckedContinuation { continuation in
      let wait: @Sendable () -> Void = {
        while readLine() != nil {}
        continuation.resume()
      }
      guard let thread = try? Thread(wait) else { return wait() }
      thread.detach()
    }
  }
}

/// The token `NAME-anything` is a session of the user NAME.
private final class ProbeSessions: SessionStore {
  struct Session: Sendable {
    let user: String
    let token: String
  }

  private let ended = Mutex<Set<String>>([])

  func end(_ token: String) { ended.withLock { _ = $0.insert(token) } }

  func session(of token: String) async -> Session? {
    guard let dash = token.firstIndex(of: "-"), !ended.withLock({ $0.contains(token) }) else {
      return nil
    }
    return Session(user: String(token[..<dash]), token: token)
  }
}

extension WebProbe {
  private static func routes(
    _ hub: EventHub,
    _ sessions: ProbeSessions,
    lasting lifetime: Duration?,
    folder: String
  ) -> Routes<ProbeSessions.Session> {
    var routes = Routes<ProbeSessions.Session>()
    let page = Array("<!doctype html><title>Probe</title>".utf8)
    routes.view("/", Asset(page, type: "text/html; charset=utf-8"))
    routes.asset("/style.css", Asset(Array("body{}".utf8), type: "text/css; charset=utf-8"))
    routes.on(.get, "/small") { _ in .json(["state": "valid", "kind": "ipv4", "ip": "8.8.8.8"]) }
    routes.on(.get, "/client") { request in .text(request.client) }
    routes.on(.get, "/texts/{text}") { request in
      .text(try request.parameter("text", as: String.self))
    }
    routes.on(.get, "/me") { _, session in .text(session.user) }
    routes.on(.delete, "/sessions/{token}") { request in
      sessions.end(try request.parameter("token"))
      return .empty
    }
    routes.on(.get, "/slow") { _ in
      try await Task.sleep(for: .seconds(1))
      return .text("slow")
    }
    addBodies(&routes, folder: folder)
    addEvents(&routes, hub, lasting: lifetime)
    return routes
  }

  private static func addBodies(
    _ routes: inout Routes<ProbeSessions.Session>,
    folder: String
  ) {
    routes.on(.post, "/echo") { request in
      .text(try await request.members("text").string("text"))
    }
    routes.on(.post, "/files") { request in
      let path = "\(folder)/\(UInt64.random(in: 0 ... .max))"
      let count = try await request.save(to: path, limit: 32 << 20)
      _ = unsafe unlink(path)
      return .json(["bytes": .integer(Int64(count))])
    }
    routes.on(.get, "/zeros") { request in
      let count = try request.query.integer("count", in: 0...1 << 30) ?? 0
      return .stream(type: "application/octet-stream") { writer in
        let chunk = [UInt8](repeating: 48, count: 1 << 14)
        for _ in 0..<count / chunk.count { try await writer.write(chunk) }
      }
    }
  }

  private static func addEvents(
    _ routes: inout Routes<ProbeSessions.Session>,
    _ hub: EventHub,
    lasting lifetime: Duration?
  ) {
    routes.on(.get, "/events") { request, session in
      try await hub.stream(
        to: request,
        user: session.user,
        session: session.token,
        lasting: lifetime
      ) {
        [ServerEvent("state", ["user": .string(session.user)])]
      }
    }
    routes.on(.post, "/events") { request in
      let members = try await request.members("name", "data", "owner", "times")
      let times = try members.optionalInteger("times") ?? 1
      let event = ServerEvent(
        try members.string("name"),
        data: try members.string("data"),
        owner: try members.optionalString("owner")
      )
      for _ in 0..<times { hub.tell(event) }
      return .json(["streams": .integer(Int64(hub.streams))])
    }
    routes.on(.delete, "/me") { _, session in
      hub.endStreams(ofSession: session.token)
      return .empty
    }
  }
}
