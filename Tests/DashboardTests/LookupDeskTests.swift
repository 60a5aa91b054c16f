import SondeRecords
import TestSupport
import Testing

@testable import SondeDashboard

@Suite(.timeLimit(.minutes(1))) struct LookupDeskTests {
  private func desk(_ fixture: DashboardFixture) throws -> (LookupDesk, DashboardState) {
    let state = try DashboardState(folder: fixture.folder.file("serve"))
    return (try LookupDesk(fixture.services(), state: state, hub: DashboardHub()), state)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `an answer is kept, and given again`() async throws {
    let fixture = try DashboardFixture { question, _ in
      .ipAPI(question.addresses, single: true)
    }
    let (desk, state) = try desk(fixture)
    let first = try await desk.lookUp(" 8.8.8.8 ")
    #expect(text(first.json).hasPrefix(#"{"ip":"8.8.8.8","status":"ok","source":"ip-api""#))
    let again = try await desk.lookUp("8.8.8.8")
    #expect(text(again.json).contains(#""cached":true"#))
    let fresh = try await desk.lookUp("8.8.8.8", isFresh: true)
    #expect(text(fresh.json).contains(#""cached":false"#))
    #expect(fixture.server.questions.count == 2)
    #expect(try await state.lookups(limit: 9).items.map(\.record) == [fresh.json])
  }

  @Test func `questions for one address at the same time are one`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture { question, _ in
      gate.wait()
      return .ipAPI(question.addresses, single: true)
    }
    let (desk, _) = try desk(fixture)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await desk.lookUp("8.8.8.8") } }
      try await Task.sleep(for: .milliseconds(100))
      gate.open()
      try await group.waitForAll()
    }
    #expect(fixture.server.questions.count == 1)
  }

  @Test func `why there is no answer is told`() async throws {
    let fixture = try DashboardFixture { question, number in
      number == 0
        ? .init(status: 500) : .init(status: 429, headers: ["X-Rl: 0", "X-Ttl: 30"])
    }
    let (desk, _) = try desk(fixture)
    for (input, kind) in [
      ("256.1.1.1", DashboardError.Kind.invalidAddress), ("8.8.8.0/24", .invalidAddress),
      ("", .invalidAddress), ("8.8.8.8", .provider), ("8.8.8.8", .quota),
    ] {
      let error = await #expect(throws: DashboardError.self) { try await desk.lookUp(input) }
      #expect(error?.kind == kind, "\(input)")
      if kind == .quota { #expect(error?.retryAfter.map { $0 > .seconds(20) } == true) }
    }
    #expect(try await desk.lookUp("10.0.0.1").status == .reserved)
  }

  @Test func `what a text says is told as the field shows it`() {
    for (input, json) in [
      ("", #"{"state":"empty","kind":null,"ip":null,"status":null,"message":null}"#),
      (
        " 8.8.8.8\n",
        #"{"state":"valid","kind":"ipv4","ip":"8.8.8.8","status":"ok","message":null}"#
      ),
    ] {
      #expect(text(CheckedText(input).json.bytes) == json)
    }
    #expect(CheckedText("2001:DB8::1").json.bytes.count > 0)
    #expect(CheckedText("8.8.8.0/24").state == .invalid)
    #expect(CheckedText("fe80::1%eth0").state == .valid)
    #expect(CheckedText(String(repeating: "1", count: 46)).state == .invalid)
  }
}

@Suite struct LookupLimitTests {
  @Test func `each user has so many in any time of a length`() {
    let (limit, now) = (LookupLimit(2, within: .seconds(60)), ContinuousClock.now)
    #expect(limit.take(of: "one", at: now) == nil)
    #expect(limit.take(of: "one", at: now + .seconds(20)) == nil)
    #expect(limit.take(of: "one", at: now + .seconds(30)) == .seconds(30))
    #expect(limit.take(of: "other", at: now + .seconds(30)) == nil)
    #expect(limit.take(of: "one", at: now + .seconds(60)) == nil)
    #expect(limit.take(of: "one", at: now + .seconds(61)) == .seconds(19))
    limit.tidy(at: now + .seconds(200))
    #expect(limit.take(of: "one", at: now + .seconds(200)) == nil)
  }
}
