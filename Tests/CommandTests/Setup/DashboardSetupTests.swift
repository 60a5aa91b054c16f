import SondeAsking
import SondeDashboard
import SondeProviders
import SondeScanner
import TestSupport
import Testing

@testable import SondeOptions
@testable import SondeSetup
@testable import sonde

@Suite struct DashboardSetupTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func setup(_ providers: [Provider] = [.ipAPI]) async throws -> DashboardSetup {
    var options = Options()
    options.providers = providers
    let invocation = Invocation(command: .scan, operands: [], options: options)
    return try await DashboardSetup(Context(invocation, environment: ["HOME": folder.path]))
  }

  @Test func `the usual list is that of the options`() async throws {
    let setup = try await setup()
    let list = try setup.services.list(nil)
    #expect(list.estimates.map(\.name) == ["ip-api"])
    #expect(list.caches.count == 1 && list.caches[0] != nil)
    #expect(Set(list.fallbacks) == Set(Provider.local.sources.map(\.source)))
    let choices = setup.services.choices
    #expect(choices.map(\.name) == Provider.all.map(\.name))
    #expect(choices.first { $0.name == "ip-api" }?.lack == nil)
    #expect(choices.first { $0.name == "ipinfo-lite" }?.lack?.contains("needs a token") == true)
    await setup.close()
  }

  @Test(arguments: ["nobody", "", "ip-api,ip-api", "ip-api,nobody"])
  func `names that are none are refused`(names: String) async throws {
    let setup = try await setup()
    let error = #expect(throws: DashboardError.self) { try setup.services.list(names) }
    #expect(error?.kind == .invalid)
  }

  @Test func `every purpose has its providers, over one cache`() async throws {
    let setup = try await setup()
    let services = setup.services
    for purpose in [DashboardServices.Purpose.scan, .upgrade, .lookup] {
      let providers = try services.providers(purpose, nil) { _ in }
      #expect(providers.chain.providers.map(\.name) == ["ip-api"])
      #expect(providers.store === setup.store && providers.ledger === setup.kept.ledger)
    }
    #expect(try services.list("local").fallbacks.isEmpty)
    await setup.close()
  }
}
