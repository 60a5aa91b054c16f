import SondeAddresses
import SondeInputs
import SondeRecords
import TestSupport
import Testing

@testable import SondeDashboard
import SondeSystem

@Suite(.timeLimit(.minutes(1))) struct DashboardStateTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func open() throws -> DashboardState { try DashboardState(folder: folder.path) }

  private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `a second server is refused`() throws {
    let state = try open()
    #expect(throws: StateError.self) { _ = try open() }
    withExtendedLifetime(state) {}
  }

  @Test func `look-ups are listed newest first, an address once`() async throws {
    let state = try open()
    for (index, text) in ["8.8.8.8", "1.1.1.1", "8.8.8.8", "9.9.9.9"].enumerated() {
      try await state.keep(address(text), of: "", json("{\"n\":\(index)}"), rank: 0)
    }
    let first = try await state.lookups(limit: 2)
    #expect(first.items.map(\.record) == [json("{\"n\":3}"), json("{\"n\":2}")])
    let rest = try await state.lookups(before: first.next, limit: 2)
    #expect(rest.items.map(\.record) == [json("{\"n\":1}")])
    #expect(rest.next == nil)
    #expect(try await state.lookups(of: "other", limit: 2).items.isEmpty)
    #expect(try await state.deleteLookups(of: "", address("8.8.8.8")) == 1)
    #expect(try await state.deleteLookups() == 2)
  }

  @Test func `an answer stays until one of the same or an earlier provider comes`() async throws {
    let state = try open()
    func keep(_ text: String, rank: Int) async throws -> String {
      try await state.keep(address("8.8.8.8"), of: "", json(text), rank: rank)
      let kept = try await state.lookups(limit: 1).items[0].record
      return String(decoding: kept, as: UTF8.self)
    }
    #expect(try await keep("{\"a\":1}", rank: 1) == "{\"a\":1}")
    #expect(try await keep("{\"a\":2}", rank: 2) == "{\"a\":1}")
    #expect(try await keep("{\"a\":3}", rank: 1) == "{\"a\":3}")
    #expect(try await keep("{\"a\":4}", rank: 0) == "{\"a\":4}")
    #expect(try await keep("{\"a\":5}", rank: 1) == "{\"a\":4}")
  }

  @Test func `a loss is noted once, and ends`() async throws {
    let state = try open()
    let loss = KeptLoss(start: Timestamp(seconds: 10), end: nil, cause: "link_down")
    try await state.beginLoss(loss, of: "a scan")
    try await state.beginLoss(loss, of: "a scan")
    #expect(try await state.losses(of: "a scan") == [loss])
    try await state.endLoss(of: "a scan", at: Timestamp(seconds: 12))
    let ended = try await state.losses(of: "a scan")
    #expect(ended.map(\.end) == [Timestamp(seconds: 12)])
    #expect(
      String(decoding: ended[0].json.bytes, as: UTF8.self)
        == """
        {"start":"1970-01-01T00:00:10.000Z","end":"1970-01-01T00:00:12.000Z","seconds":2,\
        "cause":"link_down","interface":null}
        """
    )
    #expect(
      String(decoding: KeptLoss.csv(ended), as: UTF8.self) == """
        start,end,seconds,cause,interface
        1970-01-01T00:00:10.000Z,1970-01-01T00:00:12.000Z,2,link_down,

        """
    )
    #expect(try await state.losses(of: "another").isEmpty)
    #expect(try await state.losses(of: nil).isEmpty)
    try await state.forget(before: Timestamp(seconds: 11))
    #expect(try await state.losses(of: "a scan").isEmpty)
  }

  @Test func `a scan is kept as it is`() async throws {
    let birth = StoredScan.Birth(
      id: "00ff",
      user: "",
      name: "access.log",
      form: .guess,
      provider: nil,
      createdAt: Timestamp(seconds: 5),
      bytes: 7,
      idempotency: StoredScan.Idempotency(key: "k", request: "r")
    )
    do {
      let state = try open()
      try await state.insert(birth)
      var scan = try #require(try await state.scans().first)
      #expect(scan.life.phase == .ready)
      (scan.life, scan.mode) = (ScanLife(.failed, reason: "why", retried: .stopped), .log)
      (scan.total, scan.counts) = (3, json("{}"))
      scan.deaths = ScanDeaths(isRunning: true, count: 1, place: 7)
      try await state.update(scan)
    }
    do {
      let scan = try #require(try await open().scans().first)
      #expect(scan.deaths.isRunning)
    }
    let state = try open()
    try await state.endRuns()
    var scan = try #require(try await state.scans().first)
    #expect(!scan.deaths.isRunning)
    scan.deaths.isRunning = true
    #expect(scan.life == ScanLife(.failed, reason: "why", retried: .stopped))
    #expect(scan.mode == .log && scan.total == 3 && scan.counts == json("{}"))
    #expect(scan.deaths == ScanDeaths(isRunning: true, count: 1, place: 7))
    #expect(scan.plan == nil && scan.birth.name == "access.log")
    #expect(scan.birth.idempotency == birth.idempotency)
  }
}
