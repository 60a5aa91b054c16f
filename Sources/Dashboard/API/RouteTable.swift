import Accounts
import Web
import WebApp

/// Routes below one path, each for some of those who may ask, whose errors are told as problems.
struct RouteTable {
  private(set) var routes: Routes<Access>
  private let prefix: String

  init(prefix: String, _ routes: Routes<Access>) { (self.prefix, self.routes) = (prefix, routes) }

  /// For everybody.
  mutating func open(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Access>.Handler
  ) {
    routes.on(method, prefix + path) { request in
      try await tellingProblems { try await handler(request) }
    }
  }

  /// For people and their programs.
  mutating func on(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Access>.SessionHandler
  ) {
    routes.on(method, prefix + path) { request, access in
      try await tellingProblems { try await handler(request, access) }
    }
  }

  /// For people alone.
  mutating func forPeople(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Session>.SessionHandler
  ) {
    on(method, path) { request, access in
      guard case .session(let session) = access else {
        throw Problem.forbidden("A token is not let do this")
      }
      return try await handler(request, session)
    }
  }

  /// For people who are admins; without accounts everybody is.
  mutating func forAdmins(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Session>.SessionHandler
  ) {
    forPeople(method, path) { request, session in
      guard Access.session(session).isAdmin else { throw AccountError.forbidden }
      return try await handler(request, session)
    }
  }
}

/// Runs a handler, whose errors become problems.
func tellingProblems(_ handler: () async throws -> Response) async throws -> Response {
  do {
    return try await handler()
  } catch let error as DashboardError {
    throw error.problem
  } catch let error as StateError {
    throw error.problem ?? error as any Error
  } catch let error as AccountError {
    throw error.problem ?? error as any Error
  }
}
