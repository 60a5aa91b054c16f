import CSondeDashboardAssets
import SondeAccounts
import SondeSystem
import SondeWeb

/// The files that the page is made of, and the page, as they are in the binary.
struct DashboardFiles {
  /// How long a browser may keep a file whose path changes with its bytes.
  private static let kept = "max-age=31536000, immutable"

  /// The paths of the views, which all answer the same page.
  private static let views = [
    "/", "/scans", "/scans/{id}", "/network", "/cache", "/watchlist", "/account",
  ]

  /// The description of the HTTP API.
  static var description: Asset { unsafe Asset(sonde_dashboard_api()) }

  /// By name: a media type and bytes.
  private let files: [(name: String, type: String, bytes: [UInt8])]

  /// Changes with the files' bytes.
  private let version: String

  /// Takes the files of the binary.
  ///
  /// - Parameter theme: The bytes that replace those of `theme.css`; `nil` for its own.
  init(theme: [UInt8]?) {
    files = (0..<sonde_dashboard_asset_count()).map { index in
      let asset = unsafe sonde_dashboard_asset_at(index)
      let name = unsafe String(cString: asset.name)
      let bytes = unsafe name == "theme.css" ? theme ?? asset.content : asset.content
      return unsafe (name, String(cString: asset.type), bytes)
    }
    let all = files.reduce(into: [UInt8]()) { $0 += Array($1.name.utf8) + [0] + $1.bytes }
    version = String(
      sha256InBase64(all).prefix(16).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    )
  }

  /// Adds the views and the files.
  ///
  /// - Parameters:
  ///   - routes: What is added to.
  ///   - settings: What is put into the page.
  ///   - basePath: What all paths begin with.
  func add(to routes: inout Routes<Access>, _ settings: PageSettings, basePath: String) {
    let page = Asset(
      page([
        "base": basePath, "assets": "assets/\(version)",
        "providers": settings.providers.joined(separator: ","), "notice": settings.notice ?? "",
        "team": settings.isTeam ? "yes" : "",
      ]),
      type: "text/html; charset=utf-8"
    )
    for path in Self.views { routes.view(path, page) }
    for file in files {
      let asset = Asset(file.bytes, type: file.type)
      routes.on(.get, "/assets/\(version)/\(file.name)") { request in
        asset.response(to: request).with("Cache-Control", Self.kept)
      }
    }
  }

  /// The page with values in the places for them.
  private func page(_ values: [String: String]) -> [UInt8] {
    var text = unsafe String(decoding: sonde_dashboard_page().content, as: UTF8.self)
    for (name, value) in values {
      let parts = text.split(separator: "{{\(name)}}", omittingEmptySubsequences: false)
      text = parts.joined(separator: value.escapedForHTML)
    }
    return Array(text.utf8)
  }
}

/// The server's properties for the page.
public struct PageSettings: Sendable {
  /// The names of the providers, in their order.
  public var providers: [String]

  /// What people are to know before addresses are sent; `nil` for nothing.
  public var notice: String?

  /// A style sheet that sets the page's custom properties in place of its own; `nil` for none.
  public var theme: [UInt8]?

  /// Whether people log in; else a link opens the page.
  public internal(set) var isTeam = false

  /// Describes a server.
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
