/// The handlers of a server, by path below the base path.
///
/// Paths may have parameters: `/scans/{id}`. HEAD is answered wherever GET is, OPTIONS everywhere.
/// A handler with a session parameter requires a session; without one the answer is 401.
public struct Routes<Session: Sendable>: Sendable {
  /// Answers requests with or without a session.
  public typealias Handler = @Sendable (Request) async throws -> Response

  /// Answers requests that have a session.
  public typealias SessionHandler = @Sendable (Request, Session) async throws -> Response

  enum Action: Sendable {
    case open(Handler)
    case guarded(SessionHandler)
  }

  struct Route: Sendable {
    let pattern: PathPattern
    var actions: [Method: Action] = [:]
    var isView = false
    /// Whether other users of the machine may ask, too.
    var isPublic = false
    /// The handler of all methods, unless there is one per method.
    var whole: Action?

    /// Whether another user of this machine may ask, perhaps with a token, on which the answer
    /// then depends alone.
    func isForAnybody(bearer: String?) -> Bool {
      if isPublic { return true }
      let isGuarded = ([whole].compactMap(\.self) + actions.values).allSatisfy { action in
        if case .guarded = action { true } else { false }
      }
      return isGuarded && bearer != nil
    }

    /// The value of `Allow`.
    var allowed: [Method] {
      Method.allCases.filter { method in
        method == .options || actions[method] != nil || method == .head && actions[.get] != nil
      }
    }
  }

  /// More specific ones first.
  private(set) var routes: [Route] = []

  /// The route of paths that have none; `nil` for a plain problem.
  private var unknown: Route?

  /// Paths below which clients without a session cannot discover routes.
  private var guarded: [PathPattern] = []

  /// Creates a table without routes.
  public init() {}

  /// Adds a handler for a method and path, with or without a session.
  public mutating func on(_ method: Method, _ path: String, _ handler: @escaping Handler) {
    add(method, path, .open(handler))
  }

  /// Adds a handler for a method and path that requires a session.
  public mutating func on(_ method: Method, _ path: String, _ handler: @escaping SessionHandler) {
    add(method, path, .guarded(handler))
  }

  /// Lets other users of the machine ask at a path, where only this user may (`isForOwnUser`).
  public mutating func open(_ path: String) {
    for index in routes.indices
    where routes[index].pattern.description == PathPattern(path).description {
      routes[index].isPublic = true
    }
  }

  /// Serves a file at a path, with or without a session.
  public mutating func asset(_ path: String, _ asset: Asset) {
    on(.get, path) { request in asset.response(to: request) }
  }

  /// Serves a page at a path, with or without a session, also for links from other sites.
  ///
  /// It is evaluated at each request.
  public mutating func view(
    _ path: String,
    _ page: @autoclosure @escaping @Sendable () -> Asset
  ) {
    on(.get, path) { request in page().response(to: request) }
    for index in routes.indices
    where routes[index].pattern.description == PathPattern(path).description {
      routes[index].isView = true
    }
  }

  /// Serves a page, with the status 404, at paths without a route to those who prefer HTML.
  public mutating func viewForUnknownPaths(_ page: @autoclosure @escaping @Sendable () -> Asset) {
    var route = Route(
      pattern: PathPattern("/"),
      whole: .open { request in
        guard request.method == .get, AcceptedTypes(request.headers).prefersHTML else {
          throw Problem.notFound
        }
        var response = page().response(to: request)
        if response.status == 200 { response.status = 404 }
        return response
      }
    )
    route.isView = true
    unknown = route
  }

  /// Answers 401 to all requests below a path without a session, even where there is no route.
  public mutating func guardAll(below path: String) { guarded.append(PathPattern(path)) }

  private mutating func add(_ method: Method, _ path: String, _ action: Action) {
    let pattern = PathPattern(path)
    if let index = routes.firstIndex(where: { $0.pattern.segments == pattern.segments }) {
      routes[index].actions[method] = action
    } else {
      let place = routes.firstIndex { pattern.precedes($0.pattern) } ?? routes.endIndex
      routes.insert(Route(pattern: pattern, actions: [method: action]), at: place)
    }
  }

  /// The route of a path and its parameters; `nil` if there is none.
  func route(of path: [String]) -> (route: Route, parameters: [String: String])? {
    for route in routes {
      if let parameters = route.pattern.match(path) { return (route, parameters) }
    }
    let place = guarded.first { $0.match(Array(path.prefix($0.segments.count))) != nil }
    if let place {
      return (Route(pattern: place, whole: .guarded { _, _ in throw Problem.notFound }), [:])
    }
    return unknown.map { ($0, [:]) }
  }
}
