import Glibc
import SondeAccounts
package import SondeAlerts
import SondeDashboard
package import SondeDashboardAPI
import SondeLive
package import SondeOptions
import SondeProviders
package import SondeReachability
package import SondeReport
import SondeSystem
package import SondeWeb

/// The dashboard, as configured by the options.
package struct ServeSetup {
  /// How often the network is checked, besides on kernel notifications.
  private static let interval = Duration.milliseconds(500)

  /// The largest style sheet or certificate, in bytes.
  private static let longestFile = 1 << 20

  private let context: Context
  private var options: Options { context.options }
  package var console: Console { context.console }

  package init(_ context: Context) { self.context = context }

  /// The directory of the state.
  ///
  /// - Throws: ``UsageError`` without a home directory.
  package func folder() throws -> String {
    if let folder = options.state { return folder }
    guard let state = UserFolders(environment: context.environment).state else {
      throw context.setupError("neither XDG_STATE_HOME nor HOME is set: name it with --state")
    }
    return state + "/serve"
  }

  /// The history of the network, in the directory of the state where this user has none.
  private func history() throws -> OutageHistory {
    let folder = try UserFolders(environment: context.environment).state ?? folder()
    return OutageHistory(folder: folder, warn: console.note)
  }

  /// Rejects inconsistent options.
  package func check() throws(UsageError) {
    _ = try logs()
    if options.openRegistration, !options.team {
      throw context.valueError("open-registration", " needs --team")
    }
    guard (options.tlsCertificate == nil) == (options.tlsKey == nil) else {
      let given = options.tlsCertificate == nil ? "tls-key" : "tls-cert"
      let missing = given == "tls-key" ? "--tls-cert" : "--tls-key"
      throw context.valueError(given, " needs \(missing): they go together")
    }
    guard !options.listen.isLoopback else { return }
    guard options.team, !options.proxies.isEmpty || isTLS else {
      throw context.usageError(
        "others can reach \(options.listen): that needs accounts (--team), and TLS (--tls-cert, "
          + "--tls-key) or a proxy before it (--behind-proxy and --public-url, or "
          + "SONDE_BEHIND_PROXY and SONDE_PUBLIC_URL)"
      )
    }
    guard
      isTLS || options.publicURL != nil || !options.listen.isUnspecified
        || options.proxies.contains(where: \.isLoopback)
    else {
      throw context.usageError(
        "a proxy elsewhere has no name for \(options.listen): --public-url (SONDE_PUBLIC_URL) says "
          + "where people find it"
      )
    }
  }

  /// The whole paths of the logs to follow.
  private func logs() throws(UsageError) -> [String] {
    do throws(FollowedPathError) { return try FollowedPath.all(options.follow) } catch {
      throw context.valueError("follow", " \(error)")
    }
  }

  /// Starts listening; the caller must then run the server.
  ///
  /// The webhooks receive changes of watchlists.
  ///
  /// - Throws: ``UsageError``, or an error of the state, the network or the server.
  package func server(
    _ services: DashboardSetup,
    watching monitor: NetworkMonitor,
    alerting webhooks: [Webhook]
  ) async throws -> DashboardServer {
    let page = try page()
    let core = try DashboardCore(
      in: try folder(),
      services.services,
      limits,
      watching: monitor,
      keeping: try history(),
      following: try logs(),
      alert: { [host = HostName.own(context)] event in
        guard let alert = Alert(event: event, host: host) else { return }
        for webhook in webhooks { _ = await webhook.raise(alert) }
      }
    )
    var configuration = DashboardServer.Configuration(try web(), page)
    configuration.longestUpload = options.limitUpload
    configuration.membership = !options.team ? .alone : options.openRegistration ? .open : .invited
    return try await DashboardServer(core, cache: services.store, configuration)
  }

  /// Prints the URL, and the cautions that apply before the first use.
  package func tell(of server: DashboardServer, _ opening: Opening) {
    let console = context.console
    let usual = Options().listen.host
    if options.listen.isLoopback, options.listen.host != usual {
      console.note(
        "any other service on \(options.listen.host) would be sent the page's cookie, for cookies know "
          + "no ports; \(usual) is meant to have none"
      )
    }
    for words in ProviderSetup(context).cautions { console.note(words) }
    if let shortage = server.shortage {
      console.note("\(shortage): uploads are refused, and scans wait")
    }
    let place = "\(isTLS ? "https" : "http")://\(server.listening)/"
    let found = options.publicURL.map { " for \($0)" } ?? ""
    let use = options.team ? "registers the admin" : "opens it once"
    let link = opening == .byLink ? "; the link \(use), within 10 minutes" : ""
    console.note("listening on \(place)\(found)\(link)")
    guard opening == .byCommand else { return }
    let state = options.state.map { " --state \($0)" } ?? ""
    console.note("Open it with: sonde serve link\(state)")
  }

  package enum Opening {
    /// With the link printed on the terminal.
    case byLink
    /// With the link that `serve link` prints.
    case byCommand
    case byLogIn
  }

  private var limits: DashboardLimits {
    var limits = DashboardLimits()
    limits.entries = options.limitEntries
    // Text compresses to a twentieth, rarely to less than a fiftieth.
    let (most, isTooMuch) = options.limitUpload.multipliedReportingOverflow(by: 100)
    limits.unpacked = isTooMuch ? .max : UInt64(most)
    limits.scans = options.limitScans
    limits.disk = options.limitDisk
    if options.team, let rate = options.limitLookups {
      limits.lookups = (rate.requests, rate.window)
    }
    limits.keep = options.keep
    limits.watchEvery = options.watchEvery
    return limits
  }

  private var isTLS: Bool { options.tlsCertificate != nil }

  /// The TLS certificate and key, reread from their files; `nil` without TLS.
  ///
  /// - Throws: ``UsageError`` if they cannot be read.
  package func certificate() throws(UsageError) -> TLSCertificate? {
    guard let chain = options.tlsCertificate, let key = options.tlsKey else { return nil }
    return TLSCertificate(chain: try bytes(of: chain), key: try bytes(of: key))
  }

  private func web() throws(UsageError) -> Server.Configuration {
    var web = Server.Configuration(
      listen: options.listen,
      publicURL: options.publicURL,
      cookieName: cookieName
    )
    web.proxies = options.proxies
    web.certificate = try certificate()
    web.report = { [console = context.console] in console.error($0) }
    return web
  }
}

// MARK: - The page

extension ServeSetup {
  /// The name of the session cookie; browsers accept `__Host-` only with path `/` (RFC 6265bis).
  private var cookieName: String {
    guard isTLS || options.publicURL?.scheme == .https else { return "sonde_PORT" }
    return options.publicURL?.basePath ?? "/" == "/" ? "__Host-sonde" : "__Secure-sonde"
  }

  private func page() throws -> PageSettings {
    var page = PageSettings(
      providers: options.providers.map(\.name),
      notice: notices.isEmpty ? nil : notices.joined(separator: " "),
      theme: try options.theme.map(theme)
    )
    if options.providers.contains(.local) {
      page.credits = { [context] in DataCredits.linked(DatabaseSetup(context).chosenPaths) }
    }
    return page
  }

  /// The privacy notes for the page, if addresses leave this machine.
  private var notices: [String] {
    ProviderSetup(context).incautious.filter { !$1.base.isLoopback }.map { _, api in
      let terms = api.isMirror ? "" : ", for non-commercial use only"
      return "Addresses go to \(api.base.authority) unencrypted\(terms)."
    }
  }

  /// The content of a short file.
  private func bytes(of path: String) throws(UsageError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    do throws(SystemError) {
      let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      while bytes.count <= Self.longestFile {
        let count = unsafe read(file.number, &buffer, buffer.count)
        guard count >= 0 else { throw SystemError() }
        if count == 0 { break }
        bytes += buffer.prefix(count)
      }
    } catch {
      throw context.setupError("\(path): \(error)")
    }
    guard bytes.count <= Self.longestFile else {
      throw context.setupError("\(path): longer than \(Self.longestFile >> 20) MiB")
    }
    return bytes
  }

  private func theme(_ path: String) throws(UsageError) -> [UInt8] {
    let bytes = try bytes(of: path)
    guard Self.mayBeStyleSheet(bytes) else {
      throw context.setupError("\(path): not a style sheet")
    }
    return bytes
  }

  /// Whether bytes are text that contains, or seems to contain, a rule.
  private static func mayBeStyleSheet(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    return !text.contains("\0") && text.contains("{") && text.contains("}")
  }
}

// MARK: - The network

extension ServeSetup {
  /// Watches the path to the first web API; without one, that to the server itself.
  ///
  /// Providers without a web API need no network, nor does the latter path.
  package func monitor() throws -> NetworkMonitor {
    let apis = try options.providers.compactMap { try ProviderSetup(context).api(of: $0) }
    var configuration = NetworkMonitor.Configuration(endpoint: ownEndpoint)
    if let api = apis.first {
      guard let path = try ConnectionSetup(context).path(to: api) else {
        throw context.setupError("\(api.base.authority) is no endpoint")
      }
      configuration.endpoint = path
    } else {
      configuration.probeInterval = .zero
    }
    configuration.interval = Self.interval
    return try NetworkMonitor(configuration)
  }

  private var ownEndpoint: SondeReachability.Endpoint {
    let host = options.listen.host.filter { $0 != "[" && $0 != "]" }
    return SondeReachability.Endpoint(host: host, port: UInt16(clamping: options.listen.port ?? 0))
  }
}
