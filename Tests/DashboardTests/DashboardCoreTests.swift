import SondeReachability
import SondeRecords
import TestSupport
import Testing

@testable import SondeDashboard
import SondeSystem

@Suite(.timeLimit(.minutes(1))) struct DashboardCoreTests {
  @Test func `it works until it is cancelled, and ends within two seconds`() async throws {
    let fixture = try DashboardFixture()
    let endpoint = Endpoint(host: "127.0.0.1", port: UInt16(fixture.server.port))
    let core = try DashboardCore(
      in: fixture.folder.file("serve"),
      fixture.services(),
      testLimits(),
      watching: NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint))
    )
    let events = core.hub.events()
    try await core.open()
    let work = Task { await core.run() }
    let scan = try await core.scans.submit("8.8.8.8\n1.1.1.1\n")
    _ = try await core.scans.wait(scan.id, for: .done)
    // What has become of it is told a moment later, since not everything is told at once.
    for await event in events where event.kind == .scan {
      if String(decoding: event.json, as: UTF8.self).contains(#""state":"done""#) { break }
    }
    work.cancel()
    let begin = ContinuousClock.now
    await work.value
    #expect(.now - begin < .seconds(2))
    // Nobody is kept waiting for more.
    for await _ in core.hub.events() {}
  }

  @Test func `what is too old goes`() async throws {
    let fixture = try DashboardFixture()
    let desk = try await fixture.open()
    let scan = try await desk.submit("8.8.8.8\n")
    _ = try await desk.wait(scan.id, for: .done)
    try await waitUntil { await desk.entries[scan.id]?.task == nil }
    await desk.remove(before: scan.createdAt)
    #expect(await desk.scans(limit: 9).items.count == 1)
    await desk.remove(before: Timestamp(milliseconds: scan.createdAt.milliseconds + 1))
    #expect(await desk.scans(limit: 9).items.isEmpty)
    await desk.close()
  }
}
