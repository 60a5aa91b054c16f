import SondeAccounts
import CSondeGalleryPage
import SondeSystem
import SondeTransfer
import SondeWeb
import SondeWebApp

/// Serves the page and its API to people who have logged in.
struct PageServer {
  private let desk: PictureDesk
  private let server: Server

  /// Starts listening on a free port; the environment has the sources and folders.
  init(environment: [String: String]) async throws {
    let folders = UserFolders(environment: environment)
    guard let cache = folders.cache, let state = folders.state else {
      throw SetupError(description: "there is no home: set HOME")
    }
    let (hub, source) = (EventHub(), try PictureSource(environment: environment))
    let accounts = try AccountStore(path: state + "/gallery.db", membership: .equals) {
      hub.endStreams($0)
    }
    // Each start requires a new login.
    try await accounts.endSessions()
    desk = PictureDesk(source, keptIn: cache + "/gallery", hub: hub)
    let api = PageAPI(
      desk: desk,
      saved: SavedPictures(keptIn: state + "/gallery"),
      source: source,
      hub: hub
    )
    let configuration = Server.Configuration.local("127.83.1.3") { tell($0) }
    var routes = api.routes
    AccountAPI(accounts) { tell($0) }.add(to: &routes)
    server = try Server(configuration, routes: routes, sessions: AccountSessions(accounts))
  }

  var address: PublicURL { server.url }

  func run() async { await desk.run() }

  /// Closes streams and connections.
  func stop() async { await server.stop() }
}

/// The routes of the page.
private struct PageAPI: Sendable {
  let desk: PictureDesk
  let saved: SavedPictures
  let source: PictureSource
  let hub: EventHub

  var routes: Routes<Session> {
    var routes = Routes<Session>()
    routes.view("/", unsafe Asset(gallery_page()))
    for index in 0..<gallery_file_count() {
      let file = unsafe gallery_file_at(index)
      routes.asset(unsafe String(cString: file.path), unsafe Asset(file))
    }
    routes.on(.get, "/api/v1/events") { request, session in
      try await hub.stream(to: request, user: session.owner, session: session.id) {
        await desk.states
      }
    }
    routes.on(.get, "/api/v1/pictures") { _, _ in .json(await desk.json) }
    routes.on(.post, "/api/v1/pictures/more") { _, _ in
      Task { await desk.load(.next) }
      return .empty
    }
    routes.on(.post, "/api/v1/pictures/retry") { _, _ in
      Task { await desk.retry() }
      return .empty
    }
    routes.on(.get, "/picture/{id}") { request, _ in
      try await desk.image(try request.parameter("id")).response
    }
    addSaved(to: &routes)
    return routes
  }

  private func addSaved(to routes: inout Routes<Session>) {
    routes.on(.get, "/api/v1/saved") { _, session in
      let items = try await saved.list(of: session.owner).map(\.json)
      return .json(["items": .array(items)])
    }
    routes.on(.post, "/api/v1/saved", save)
    routes.on(.delete, "/api/v1/saved/{id}") { request, session in
      try await saved.remove(try request.parameter("id"), of: session.owner)
      hub.tell(.saved(by: session.owner))
      return .empty
    }
    routes.on(.get, "/picture/saved/{id}") { request, session in
      try await saved.image(try request.parameter("id"), of: session.owner).response
    }
  }

  private func save(_ request: SondeWeb.Request, _ session: Session) async throws
    -> SondeWeb.Response
  {
    let members = try await request.members("author", "url")
    let author = String(try members.string("author").trimmed)
    guard (1...200).contains(author.count),
      !author.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { throw Problem.invalid("Author name needs 1 to 200 characters") }
    let url = String(try members.string("url").trimmed)
    guard url.utf8.count <= 2048 else { throw PictureError.notAPicture }
    let image = try await source.image(at: url)
    let picture = SavedPicture(author: author, url: url)
    try await saved.add(picture, image, to: session.owner)
    hub.tell(.saved(by: session.owner))
    return .json(picture.json, status: 201)
  }
}

extension PictureError: ProblemConvertible {
  var problem: Problem? { Problem("not-a-picture", status: 422, title: description) }
}

extension ImageFile {
  fileprivate var response: SondeWeb.Response { .bytes(bytes, type: kind.rawValue) }
}

extension ServerEvent {
  /// The event that an account's own pictures have changed.
  fileprivate static func saved(by user: String) -> ServerEvent {
    ServerEvent("saved", [:], owner: user)
  }
}

extension Session {
  fileprivate var owner: String { user?.id ?? "" }
}

extension Asset {
  fileprivate convenience init(_ file: gallery_file) {
    unsafe self.init(file.bytes, count: file.count, type: String(cString: file.type))
  }
}
