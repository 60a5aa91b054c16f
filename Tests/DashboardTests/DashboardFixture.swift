import SondeAsking
import Glibc
import SondeProviders
import SondeRecords
import SondeScanner
import SondeStore
import SondeSystem
import TestSupport
import Testing
import SondeTransfer

@testable import SondeDashboard

/// A dashboard in a folder of its own, whose one provider is a scripted server.
final class DashboardFixture: Sendable {
  typealias Reply = ScriptedServer.Reply

  let folder: ScratchFolder
  let server: ScriptedServer
  let store: Store

  init(
    _ answer: @escaping @Sendable (ScriptedServer.Question, Int) -> Reply? = { question, _ in
      .ipAPI(question.addresses)
    }
  ) throws {
    folder = try ScratchFolder()
    server = try ScriptedServer(answer)
    store = Store(path: folder.file("cache.db")) { _ in }
  }

  func services() -> DashboardServices {
    let api = IPAPI(base: BaseURL(server.url))
    var services = DashboardServices(choices: [ProviderChoice(name: "ip-api", label: "ip-api.com")])
    { [store] purpose, _, report in
      var rules = AskingRules()
      (rules.retries, rules.mayAskTwice) = (0, purpose == .upgrade)
      if purpose == .lookup { rules.waitForNothing(limit: nil) }
      let budget = RequestBudget(limit: nil)
      let provider = RemoteProvider(
        api,
        client: try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "sonde/1.2.3")),
        rules: rules,
        budget: budget,
        path: nil,
        cache: AnswerCache(of: api, in: store, rules: CacheRules(timeToLive: .seconds(300))),
        report: report
      )
      return RunProviders(
        chain: ProviderChain([.remote(provider)], report: report),
        budget: budget,
        databases: nil,
        store: store,
        ledger: nil
      )
    } list: { [store] names in
      guard names == nil || names == "ip-api" else { throw DashboardError(.invalid, "who?") }
      let estimate = ProviderEstimate(name: "ip-api", batch: 100, allowance: nil, maximum: nil)
      return DashboardServices.ProviderList(
        estimates: [estimate],
        caches: [AnswerCache(of: api, in: store, rules: CacheRules(timeToLive: .seconds(300)))],
        fallbacks: Provider.local.sources.map(\.source)
      )
    } publicAddress: {
      throw DashboardError(.provider, "nobody knows")
    }
    services.batches = 4
    return services
  }

  /// A server's desk over the folder; the one before must be gone.
  func open(_ limits: DashboardLimits = testLimits()) async throws -> ScanDesk {
    let state = try DashboardState(folder: folder.file("serve"))
    let desk = ScanDesk(
      state: state,
      services: services(),
      limits: limits,
      hub: DashboardHub(),
      tables: RecordDesk()
    )
    try await desk.open()
    return desk
  }

  static func testLimits() -> DashboardLimits {
    var limits = DashboardLimits()
    limits.freeSpace = 0
    return limits
  }
}

func testLimits() -> DashboardLimits { DashboardFixture.testLimits() }

extension ScanDesk {
  /// Makes a scan of a text.
  func submit(_ text: String, _ new: NewScan = NewScan(name: "input.txt")) async throws -> ScanInfo
  {
    try await make(text, new).scan
  }

  func make(
    _ text: String,
    _ new: NewScan = NewScan(name: "input.txt"),
    of user: String = ""
  ) async throws -> (scan: ScanInfo, isNew: Bool) {
    let path = try admitUpload(of: user).path
    let bytes = Array(text.utf8)
    do {
      let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      #expect(unsafe write(file.number, bytes, bytes.count) == bytes.count)
    }
    return try await create(new, from: path, of: user)
  }

  /// Waits until a scan is in some state.
  func wait(
    _ id: String,
    until isThere: @Sendable (ScanInfo) -> Bool
  ) async throws -> ScanInfo {
    var info = try scan(id)
    try await waitUntil {
      info = try scan(id)
      return isThere(info)
    }
    return info
  }

  func wait(_ id: String, for state: ScanLife.State) async throws -> ScanInfo {
    let info = try await wait(id) { $0.state == state || $0.state == .failed }
    try #require(info.state == state, "\(info.detail ?? "")")
    return info
  }

  /// The lines of a download.
  func lines(_ id: String, _ content: RecordDownload.Content) async throws -> [String] {
    let download = tables.download(content, of: try table(id))
    var bytes: [UInt8] = []
    while let more = try await download.read() { bytes += more }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The addresses of a scan's records, in their order.
  func addresses(_ id: String) async throws -> [String] {
    try await lines(id, .records(.csv, spreadsheet: false, RecordChoice())).dropFirst().map {
      String($0.prefix { $0 != "," })
    }
  }
}

func addressLines(_ count: Int) -> String {
  (0..<count).map { "8.\($0 >> 16 & 255).\($0 >> 8 & 255).\($0 & 255)\n" }.joined()
}

/// Waits until the work on a scan has ended.
func settled(_ desk: ScanDesk, _ id: String) async throws {
  try await waitUntil { await desk.entries[id]?.task == nil }
}
