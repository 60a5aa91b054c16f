import SondeAccounts
import SondeWeb

/// Routes below one path, with their access rules.
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
    routes.on(method, prefix + path, handler)
  }

  /// For people and their programs.
  mutating func on(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Access>.SessionHandler
  ) {
    routes.on(method, prefix + path, handler)
  }

  /// For people only.
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

  /// For admins; without accounts everybody is one.
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
