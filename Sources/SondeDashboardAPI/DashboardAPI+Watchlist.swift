import SondeDashboard
import SondeRecords
import SondeWeb

extension DashboardAPI {
  /// `GET /watchlist`: the newest first.
  func watchlist(_ request: Request, _ access: Access) async throws -> Response {
    let (before, limit) = try request.query.page()
    let (items, next) = try await core.state.watched(of: access.owner, before: before, limit: limit)
    return .list(items.map(\.json.bytes), next: next.map { "\($0)" })
  }

  /// `POST /watchlist`.
  func addToWatchlist(_ request: Request, _ access: Access) async throws -> Response {
    try request.query.allow()
    let text = try await request.watchedText()
    guard let thing = try await core.state.watch(text, of: access.owner, limit: WatchDesk.most)
    else { throw Problem.tooLarge("at most \(WatchDesk.most) addresses are watched") }
    return .json(thing.json.bytes, status: 201)
  }

  /// `PUT /watchlist/{id}`.
  func changeWatchlist(_ request: Request, _ access: Access) async throws -> Response {
    let id = try await watchedThing(request, access)
    try request.query.allow()
    let text = try await request.watchedText()
    let changed = try await core.state.change(id, of: access.owner) { $0.write(text) }
    guard let (thing, _) = changed else { throw Problem.notFound }
    return .json(thing.json.bytes)
  }

  /// `DELETE /watchlist/{id}`.
  func removeFromWatchlist(_ request: Request, _ access: Access) async throws -> Response {
    let id = try await watchedThing(request, access)
    try await request.withoutContent()
    guard try await core.state.deleteWatched(id, of: access.owner) else { throw Problem.notFound }
    core.hub.publish(.deleted(.watch, id, of: access.owner))
    return .empty
  }

  /// The id in the path; another user's is not found, even if the request has other errors.
  private func watchedThing(_ request: Request, _ access: Access) async throws -> String {
    let id = try request.id()
    guard try await core.state.isWatched(id, by: access.owner) else { throw Problem.notFound }
    return id
  }
}

extension Request {
  fileprivate func watchedText() async throws -> Watched.Text {
    let members = try await members("name", "address", "note")
    let (name, address) = (try members.string("name"), try members.string("address"))
    let note = try members.optionalString("note")
    guard name.isName(1...200) else {
      throw Problem.invalid("a name has 1 to 200 characters, none of them a control character")
    }
    guard note?.count ?? 0 <= 2000 else {
      throw Problem.invalid("a note has at most 2000 characters")
    }
    let checked = CheckedText(address)
    let known = "\(try checked.found())\(checked.suffix)"
    return Watched.Text(name: name, address: known, note: note)
  }
}

extension String {
  fileprivate func isName(_ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(count) && contains { !$0.isWhitespace }
      && !unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
