import CSondeDashboardAssets
import SondeAccounts
public import SondeSummary
import SondeSystem
import SondeWeb
import Synchronization

/// The page and its files, embedded in the binary.
struct DashboardFiles {
  /// The caching of a file whose path changes with its content.
  private static let kept = "max-age=31536000, immutable"

  /// The paths of the views, all of which return the same page.
  private static let views = [
    "/", "/lookup/{ip}", "/scans", "/scans/{id}", "/network", "/cache",
  ]

  /// The views of followed logs.
  private static let liveViews = ["/live", "/live/{id}"]

  /// The views of a server with accounts.
  private static let teamViews = ["/watchlist", "/account"]

  /// The description of the HTTP API.
  static var description: Asset { unsafe Asset(sonde_dashboard_api()) }

  private let files: [(name: String, type: String, bytes: [UInt8])]

  /// Changes with the content of the files.
  private let version: String

  /// Loads the embedded files; `theme` replaces `theme.css` unless it is `nil`.
  init(theme: [UInt8]?) {
    files = (0..<sonde_dashboard_asset_count()).map { index in
      let asset = unsafe sonde_dashboard_asset_at(index)
      let name = unsafe String(cString: asset.name)
      let bytes = unsafe name == "theme.css" ? theme ?? asset.content : asset.content
      return unsafe (name, String(cString: asset.type), bytes)
    }
    let all = files.reduce(into: [UInt8]()) { $0 += Array($1.name.utf8) + [0] + $1.bytes }
    version = String(sha256InBase64(all).prefix(16).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// Adds the routes of the views and the files, with the settings inserted into the page.
  func add(to routes: inout Routes<Access>, _ settings: PageSettings, basePath: String) {
    let values = [
      "base": basePath, "assets": "assets/\(version)",
      "providers": settings.providers.joined(separator: ","), "notice": settings.notice ?? "",
      "team": settings.isTeam ? "yes" : "", "live": settings.isLive ? "yes" : "",
    ]
    let credits = settings.credits
    let view = CreditedPage(values.merging(["absent": "hidden", "title": "Sonde"]) { $1 })
    var paths = Self.views
    if settings.isLive { paths += Self.liveViews }
    if settings.isTeam { paths += Self.teamViews }
    for path in paths { routes.view(path, view.asset(with: credits())) }
    let absent = CreditedPage(values.merging(["absent": "", "title": Self.absent]) { $1 })
    routes.viewForUnknownPaths(absent.asset(with: credits()))
    for file in files {
      let asset = Asset(file.bytes, type: file.type)
      routes.on(.get, "/assets/\(version)/\(file.name)") { request in
        asset.response(to: request).with("Cache-Control", Self.kept)
      }
    }
  }

  /// The title of the page for paths that are no view.
  private static let absent = "Page not found · Sonde"
}

/// The page with the credits for the databases that are there, which are fetched and removed while
/// the server runs.
private final class CreditedPage: Sendable {
  /// The page around the credits.
  private let parts: [String]
  private let latest: Mutex<(credits: [SummaryReport.DataCredit], asset: Asset)>

  init(_ values: [String: String]) {
    var text = unsafe String(decoding: sonde_dashboard_page().content, as: UTF8.self)
    for (name, value) in values {
      let parts = text.split(separator: "{{\(name)}}", omittingEmptySubsequences: false)
      text = parts.joined(separator: value.escapedForHTML)
    }
    parts = text.split(separator: "{{credits}}", omittingEmptySubsequences: false).map(String.init)
    latest = Mutex(([], Self.asset(of: parts, with: [])))
  }

  /// The page; the same one until the credits change.
  func asset(with credits: [SummaryReport.DataCredit]) -> Asset {
    latest.withLock { latest in
      if latest.credits != credits { latest = (credits, Self.asset(of: parts, with: credits)) }
      return latest.asset
    }
  }

  private static func asset(
    of parts: [String],
    with credits: [SummaryReport.DataCredit]
  ) -> Asset {
    let text = parts.joined(separator: markup(of: credits))
    return Asset(Array(text.utf8), type: "text/html; charset=utf-8")
  }

  /// What owners of data want to be said where these are shown; empty without any.
  private static func markup(of credits: [SummaryReport.DataCredit]) -> String {
    guard !credits.isEmpty else { return "" }
    let links = credits.map { credit in
      let link = (credit.link ?? "").escapedForHTML
      return "<a href=\"\(link)\">\(credit.name.escapedForHTML)</a>"
    }
    return "<footer class=\"credits\">\(links.joined(separator: "\n"))</footer>\n"
  }
}

/// The server's properties for the page.
public struct PageSettings: Sendable {
  /// The names of the providers, in their order.
  public var providers: [String]

  /// A notice shown before addresses are sent.
  public var notice: String?

  /// What owners of the local databases that are there want to be said, with a link each.
  public var credits: @Sendable () -> [SummaryReport.DataCredit] = { [] }

  /// A style sheet that overrides the page's custom properties.
  public var theme: [UInt8]?

  /// Whether people log in; otherwise a link opens the page.
  public internal(set) var isTeam = false

  /// Whether logs are followed.
  public internal(set) var isLive = false

  /// Creates settings.
  public init(providers: [String], notice: String? = nil, theme: [UInt8]? = nil) {
    (self.providers, self.notice, self.theme) = (providers, notice, theme)
  }
}

extension sonde_dashboard_asset {
  fileprivate var content: [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }
}

extension Asset {
  fileprivate convenience init(_ asset: sonde_dashboard_asset) {
    unsafe self.init(asset.content, type: String(cString: asset.type))
  }
}

extension String {
  fileprivate var escapedForHTML: String {
    let entities: [Character: String] = [
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]
    return reduce(into: "") { $0 += entities[$1] ?? String($1) }
  }
}
