import Glibc
import SondeLive
import SondeReachability
import SondeSystem
import TestSupport
import Testing

@testable import SondeDashboard

@Suite(.timeLimit(.minutes(1))) struct LogDeskTests {
  private func append(_ text: String, to path: String) throws {
    let bytes = Array(text.utf8)
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_APPEND)
    #expect(unsafe write(file.number, bytes, bytes.count) == bytes.count)
  }

  @Test func `a log is followed, asked about and read`() async throws {
    let fixture = try DashboardFixture()
    let path = fixture.folder.file("access.log")
    try append("1.1.1.1 before\n", to: path)
    let endpoint = Endpoint(host: "127.0.0.1", port: UInt16(fixture.server.port))
    let core = try DashboardCore(
      in: fixture.folder.file("serve"),
      fixture.services(),
      testLimits(),
      watching: NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint)),
      following: [path]
    )
    let events = core.hub.events()
    try await core.open()
    let work = Task { await core.run() }
    let id = try #require(await core.logs.infos().first?.id)
    try await waitUntil { try await !core.logs.info(id).isWaiting }
    try append("8.8.8.8 - 8.8.8.8 10.0.0.1\n", to: path)
    for await event in events where event.kind == .log {
      #expect(event.topic == id && event.user == nil)
      break
    }
    let query = LogQuery(.second, where: "", of: "")
    try await waitUntil {
      let summary = try await core.logs.summary(id, query, top: 10)
      return String(decoding: summary, as: UTF8.self)
        .contains(#""total":{"hits":3,"addresses":2,"pending":0}"#)
    }
    let chosen = LogQuery(.fiveMinutes, where: "ip = 8.8.8.8", of: "")
    let rate = String(decoding: try await core.logs.rate(id, chosen), as: UTF8.self)
    #expect(rate.hasPrefix(#"{"step":300,"#) && rate.contains(#""hits":2}"#))
    await #expect(throws: DashboardError.self) {
      try await core.logs.rate(id, LogQuery(.second, where: "city ~", of: ""))
    }
    await #expect(throws: DashboardError.self) { try await core.logs.info("0") }
    work.cancel()
    await work.value
  }

  @Test func `only files are followed, and each once`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.log")
    #expect(try FollowedPath.all([path, "-"]).count == 2)
    for paths in [["/"], ["/dev/null"], [path, path], ["-", "-"]] {
      #expect(throws: FollowedPathError.self) { try FollowedPath.all(paths) }
    }
  }
}
