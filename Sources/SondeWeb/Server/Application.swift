/// Answers requests: checks the origin, finds route and session, and runs the handler.
struct Application<Store: SessionStore>: Sendable {
  let routes: Routes<Store.Session>
  let sessions: Store
  /// `nil` to accept any `Host` and origin.
  let origins: OriginRules?
  let forwarded: ForwardedFor
  let cookie: SessionCookie
  let url: PublicURL
  let safety: SafetyHeaders
  let problemPrefix: String
  let repeatableNames: Set<String>
  /// Receives errors that no handler expected.
  let report: @Sendable (String) -> Void

  typealias Route = Routes<Store.Session>.Route

  /// A request to be passed to a handler.
  struct Admitted: Sendable {
    let request: Request
    let action: Routes<Store.Session>.Action
  }

  /// Makes all decisions that depend only on the header.
  ///
  /// - Throws: The answer, as a ``Problem`` or ``Redirect``, if no handler is to run.
  func admit(_ head: RequestHead, source: any BodySource) throws -> Admitted {
    guard origins == nil || head.headers.values(of: "Host").count == 1 else {
      throw Problem.malformed("no one Host")
    }
    let target = Result { () throws(Target.Flaw) in try Target(head.target, basePath: url.basePath)
    }
    let found = (try? target.get()).flatMap { routes.route(of: $0.path) }
    if let refusal = origins?.refusal(of: head.question(isView: found?.route.isView ?? false)) {
      throw Problem.forbidden(refusal)
    }
    if head.isForeign, found?.route.isForAnybody(bearer: head.headers.bearerToken) != true {
      throw Problem.forbidden("This is the page of another user of this machine")
    }
    let path = try located(target, query: head.target)
    guard let (route, parameters) = found else { throw Problem.notFound }
    return Admitted(
      request: Request(
        method: head.method == .head ? .get : head.method ?? .get,
        path: path.path,
        // A page ignores its query.
        query: route.isView ? Query() : try Query(path.query, repeatable: repeatableNames),
        headers: head.headers,
        client: forwarded.client(
          of: head.peer,
          fields: head.headers.values(of: "X-Forwarded-For")
        ).description,
        sessionCookie: cookie,
        sessionToken: cookie.token(in: head.headers.values(of: "Cookie")),
        bearerToken: head.headers.bearerToken,
        server: url,
        parameters: parameters,
        source: source
      ),
      action: try action(of: route, method: head.method)
    )
  }

  private func located(_ target: Result<Target, Target.Flaw>, query: String) throws -> Target {
    switch target {
    case .success(let target): return target
    case .failure(.malformed): throw Problem.malformed("the path can be read in two ways")
    case .failure(.elsewhere): throw Problem.notFound
    case .failure(.missingSlash): throw Redirect(to: url.basePath)
    }
  }

  private func action(of route: Route, method: Method?) throws -> Routes<Store.Session>.Action {
    if let whole = route.whole { return whole }
    let known = method == .head ? .get : method
    if let known, let action = route.actions[known] { return action }
    guard method == .options else { throw Problem.method(allowed: route.allowed) }
    let allowed = route.allowed.map(\.rawValue).joined(separator: ", ")
    return .open { _ in Response.empty.with("Allow", allowed) }
  }

  /// Runs the handler, and returns its answer or that of a thrown error.
  ///
  /// `note` receives a check of the request's session; `nil` if there is none.
  func answer(_ admitted: Admitted, note: Connection.Note) async -> Response {
    // Does not capture the request: the connection keeps the check, and the request refers to
    // the connection.
    let (bearer, cookie) = (admitted.request.bearerToken, admitted.request.sessionToken)
    let session = await session(bearer: bearer, cookie: cookie)
    let isAllowed: Connection.SessionCheck = {
      await self.session(bearer: bearer, cookie: cookie) != nil
    }
    let mayStay = note(session == nil ? nil : isAllowed, session.flatMap { sessions.user(of: $0) })
    guard mayStay else {
      return answer(to: Problem.busy("too many connections of one user"))
        .with("Connection", "close")
    }
    do {
      switch admitted.action {
      case .open(let handler): return try await handler(admitted.request)
      case .guarded(let handler):
        guard let session else { throw Problem.unauthorized }
        var request = admitted.request
        request.isAllowed = isAllowed
        return try await handler(request, session).told(while: request.isAllowed)
      }
    } catch {
      return answer(to: error)
    }
  }

  private func session(bearer: String?, cookie: String?) async -> Store.Session? {
    // A token takes precedence over any cookie.
    if let bearer { return await sessions.session(ofBearer: bearer) }
    guard let cookie else { return nil }
    return await sessions.session(of: cookie)
  }

  func answer(to error: any Error) -> Response {
    switch error {
    case let problem as Problem: return response(problem)
    case let error as BodyError: return response(error.problem)
    case let redirect as Redirect:
      return Response(status: 308, type: nil, body: .bytes([])).with("Location", redirect.location)
    // The client has left, or the server stops.
    case is CancellationError: return response(.unforeseen)
    default:
      if let problem = (error as? any ProblemConvertible)?.problem { return response(problem) }
      report("\(error)")
      return response(.unforeseen)
    }
  }

  private func response(_ problem: Problem) -> Response {
    var response = Response.json(problem.json(prefix: problemPrefix), status: problem.status)
    response.headers["Content-Type"] = "application/problem+json"
    for (name, value) in problem.headers { response.headers[name] = value }
    return response
  }
}

extension HeaderFields {
  /// The token of an `Authorization` with the scheme Bearer; other schemes are for proxies.
  fileprivate var bearerToken: String? {
    let words = self["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
    guard words.count == 2, words[0].equalsIgnoringCase("Bearer") else { return nil }
    return String(words[1].trimmed)
  }
}

/// Redirects a browser within this server.
struct Redirect: Error {
  let location: String
  init(to location: String) { self.location = location }
}
