import Glibc
import System
import Web

/// A server for tests of other languages: says where it listens, and stops when its input ends.
@main enum WebProbe {
  static func main() async throws {
    var configuration = Server.Configuration(
      listen: Authority(host: "127.0.0.1", port: 0),
      publicURL: CommandLine.arguments.dropFirst().first.flatMap(PublicURL.init),
      cookieName: "probe"
    )
    configuration.report = { print($0) }
    let server = try Server(configuration, routes: routes(), sessions: ProbeSessions())
    print("\(server.listening)")
    fflush(nil)
    await inputEnds()
    await server.stop()
  }

  private static func routes() -> Routes<String> {
    var routes = Routes<String>()
    routes.view("/", Asset(Array("<!doctype html><title>Probe</title>".utf8), type: "text/html"))
    routes.on(.get, "/small") { _ in .json(["state": "valid", "kind": "ipv4", "ip": "8.8.8.8"]) }
    routes.on(.get, "/me") { _, user in .json(["user": .string(user)]) }
    routes.on(.post, "/echo") { request in
      .text(try await request.members("text").string("text"))
    }
    routes.on(.post, "/files") { request in
      let path = scratchPath()
      let count = try await request.save(to: path, limit: 32 << 20)
      _ = unsafe unlink(path)
      return .json(["bytes": .integer(Int64(count))])
    }
    routes.on(.get, "/texts/{text}") { request in
      .text(try request.parameter("text", as: String.self))
    }
    return routes
  }

  private static func scratchPath() -> String { "/tmp/web-probe-\(UInt64.random(in: 0 ... .max))" }

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

private struct ProbeSessions: SessionStore {
  func session(of token: String) async -> String? { token == "secret" ? "anna" : nil }
}
