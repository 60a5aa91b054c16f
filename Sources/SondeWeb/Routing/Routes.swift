/// What a server answers at which path, below the base path.
///
/// A path has places for parameters: `/scans/{id}`. HEAD is answered where GET is, OPTIONS everywhere.
/// A handler that takes a session runs only where there is one; else the answer is 401.
public struct Routes<Session: Sendable>: Sendable {
  /// Answers whoever asks.
  public typealias Handler = @Sendable (Request) async throws -> Response

  /// Answers whoever has a session.
  public typealias SessionHandler = @Sendable (Request, Session) async throws -> Response

  enum Action: Sendable {
    case open(Handler)
    case guarded(SessionHandler)
  }

  struct Route: Sendable {
    let pattern: PathPattern
    var actions: [Method: Action] = [:]
    var isView = false
    /// What answers every method, where that is not said of each.
    var whole: Action?

    /// What `Allow` says.
    var allowed: [Method] {
      Method.allCases.filter { method in
        method == .options || actions[method] != nil || method == .head && actions[.get] != nil
      }
    }
  }

  /// Those that say more come first.
  private(set) var routes: [Route] = []

  /// Paths below which nobody without a session learns what is there.
  private var guarded: [PathPattern] = []

  /// Makes a table without any.
  public init() {}

  /// Answers a method at a path to whoever asks.
  public mutating func on(_ method: Method, _ path: String, _ handler: @escaping Handler) {
    add(method, path, .open(handler))
  }

  /// Answers a method at a path to whoever has a session.
  public mutating func on(_ method: Method, _ path: String, _ handler: @escaping SessionHandler) {
    add(method, path, .guarded(handler))
  }

  /// Serves a file at a path to everybody.
  public mutating func asset(_ path: String, _ asset: Asset) {
    on(.get, path) { request in asset.response(to: request) }
  }

  /// Serves a page at a path to everybody, also to those who follow a link from elsewhere.
  public mutating func view(_ path: String, _ page: Asset) {
    asset(path, page)
    for index in routes.indices
    where routes[index].pattern.description == PathPattern(path).description {
      routes[index].isView = true
    }
  }

  /// Answers 401 to whoever has no session also where nothing is, below a path.
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

  /// The route of a path, and its parameters; `nil` where there is none.
  func route(of path: [String]) -> (route: Route, parameters: [String: String])? {
    for route in routes {
      if let parameters = route.pattern.match(path) { return (route, parameters) }
    }
    let place = guarded.first { $0.match(Array(path.prefix($0.segments.count))) != nil }
    return place.map {
      (Route(pattern: $0, whole: .guarded { _, _ in throw Problem.notFound }), [:])
    }
  }
}
