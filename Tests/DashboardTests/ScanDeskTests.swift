import Glibc
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeSQLite
import SondeScanner
import SondeSystem
import TestSupport
import Testing

@testable import SondeDashboard

@Suite(.timeLimit(.minutes(1))) struct ScanDeskTests {
  @Test func `a list is scanned to its end`() async throws {
    let fixture = try DashboardFixture()
    let desk = try await fixture.open()
    var new = NewScan(name: "list")
    new.form = .list
    let scan = try await desk.submit("8.8.8.8\n10.0.0.1\nwho?\n8.8.8.8\n1.1.1.1\n", new)
    let done = try await desk.wait(scan.id, for: .done)
    #expect(done.total == 5)
    let tally = try #require(done.counts?.tally)
    #expect([tally.entries, tally.ok, tally.reserved, tally.invalid] == [5, 2, 1, 1])
    #expect(tally.duplicates == 1)
    #expect(done.counts?.counters.requests == 1)
    #expect(try await desk.addresses(scan.id) == ["8.8.8.8", "10.0.0.1", "who?", "1.1.1.1"])
    #expect(try await desk.lines(scan.id, .missing) == [])
    #expect(try await desk.lines(scan.id, .rejects).count == 1)
    // The journal goes last, behind what is told.
    let journal = fixture.folder.file("serve/scans/\(scan.id)/records.db.journal")
    try await waitUntil { unsafe access(journal, F_OK) != 0 }
    let left = SondeSystem.names(in: fixture.folder.file("serve/scans/\(scan.id)")).sorted()
    #expect(left.filter { !$0.hasPrefix(".") } == ["input", "records.db"])
    await desk.close()
  }

  @Test func `what is planned waits to be started`() async throws {
    let fixture = try DashboardFixture()
    let desk = try await fixture.open()
    var new = NewScan(name: "planned")
    new.isStarted = false
    let scan = try await desk.submit(addressLines(250), new)
    let ready = try await desk.wait(scan.id) { $0.plan != nil }
    #expect(ready.state == .ready)
    let plan = String(decoding: ready.plan ?? [], as: UTF8.self)
    #expect(plan.contains(#""entries":250,"valid":250,"distinct":250,"duplicates":0"#))
    #expect(plan.contains(#""to_ask":250,"requests":3"#))
    #expect(fixture.server.questions.isEmpty)
    _ = try await desk.perform(.start, on: scan.id)
    let done = try await desk.wait(scan.id, for: .done)
    #expect(done.counts?.tally.ok == 250)
    await desk.close()
  }

  @Test func `what nobody starts goes after an hour`() async throws {
    let fixture = try DashboardFixture()
    let desk = try await fixture.open()
    var new = NewScan(name: "left alone")
    new.isStarted = false
    let ready = try await desk.submit("8.8.8.8\n", new)
    let done = try await desk.submit("8.8.8.8\n")
    _ = try await desk.wait(done.id, for: .done)
    let made = Timestamp.now
    func after(_ seconds: Int64) -> Timestamp {
      Timestamp(milliseconds: made.milliseconds + seconds * 1000)
    }
    await desk.remove(before: after(-86_400), now: after(3500))
    #expect(await desk.scans(limit: 9).items.count == 2)
    await desk.remove(before: after(-86_400), now: after(3700))
    #expect(await desk.scans(limit: 9).items.map(\.id) == [done.id])
    await #expect(throws: DashboardError.self) { try await desk.scan(ready.id) }
    #expect(FileStatus(path: fixture.folder.file("serve/scans/\(ready.id)")) == nil)
    await desk.remove(before: after(1), now: after(1))
    #expect(await desk.scans(limit: 9).items.isEmpty)
    await desk.close()
  }

  @Test func `a pause keeps what is under way, and resuming loses and doubles nothing`()
    async throws
  {
    let gate = Gate()
    let fixture = try DashboardFixture { question, number in
      if number == 2 { gate.wait() }
      return .ipAPI(question.addresses)
    }
    let desk = try await fixture.open()
    let scan = try await desk.submit(addressLines(2000))
    _ = try await desk.wait(scan.id) { _ in gate.isWaitedFor }
    let paused = try await desk.perform(.pause, on: scan.id)
    #expect(paused.state == .paused)
    #expect(try await desk.perform(.pause, on: scan.id).state == .paused)
    gate.open()
    _ = try await desk.perform(.resume, on: scan.id)
    let done = try await desk.wait(scan.id, for: .done)
    #expect(done.counts?.tally.ok == 2000)
    let all = addressLines(2000).split(separator: "\n").map(String.init)
    #expect(try await desk.addresses(scan.id) == all)
    // Nothing that was answered was asked again.
    let asked = fixture.server.questions.flatMap(\.addresses)
    #expect(asked.count == Set(asked).count)
    await desk.close()
  }

  @Test func `a server that ends leaves what the next one resumes`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture { question, number in
      if number == 5 { gate.wait() }
      return .ipAPI(question.addresses)
    }
    let id: String
    do {
      let desk = try await fixture.open()
      id = try await desk.submit(addressLines(2000)).id
      _ = try await desk.wait(id) { _ in gate.isWaitedFor }
      gate.open()
      await desk.close()
    }
    let desk = try await fixture.open()
    let done = try await desk.wait(id, for: .done)
    #expect(done.counts?.tally.ok == 2000)
    #expect(try await desk.addresses(id).count == 2000)
    await desk.close()
  }

  @Test(arguments: [true, false])
  func `an input that the server dies of is not read at each start for ever`(isStarted: Bool)
    async throws
  {
    let fixture = try DashboardFixture()
    let id: String
    do {
      let desk = try await fixture.open()
      var new = NewScan(name: "deadly")
      new.isStarted = false
      id = try await desk.submit("8.8.8.8\n", new).id
      _ = try await desk.wait(id) { $0.plan != nil }
      await desk.close()
    }
    do {
      // As the second server leaves it that dies while it reads the input.
      let state = try DashboardState(folder: fixture.folder.file("serve"))
      var scan = try #require(try await state.scans().first)
      (scan.plan, scan.mode, scan.total) = (nil, nil, nil)
      scan.life = ScanLife(isStarted ? .active : .ready)
      scan.deaths = ScanDeaths(isRunning: true, count: 1, place: 0)
      try await state.update(scan)
    }
    let desk = try await fixture.open()
    let failed = try await desk.scan(id)
    #expect(failed.state == .failed && failed.plan == nil)
    #expect(failed.detail?.contains("the server ended twice while it ran") == true)
    #expect(try await desk.perform(.resume, on: id).state != .failed)
    let done = try await desk.wait(id, for: .done)
    #expect(done.counts?.tally.ok == 1 && done.detail == nil)
    await desk.close()
  }

  @Test func `stopping is final, and the records so far stay`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture { question, number in
      if number == 3 { gate.wait() }
      return .ipAPI(question.addresses)
    }
    let desk = try await fixture.open()
    let scan = try await desk.submit(addressLines(5000))
    _ = try await desk.wait(scan.id) { _ in gate.isWaitedFor }
    #expect(try await desk.perform(.stop, on: scan.id).state == .stopped)
    gate.open()
    _ = try await desk.wait(scan.id) { $0.rate == nil }
    try await settled(desk, scan.id)
    #expect(try await desk.perform(.stop, on: scan.id).state == .stopped)
    let count = try await desk.addresses(scan.id).count
    #expect(count >= 300 && count < 5000)
    #expect(try await desk.scan(scan.id).counts?.tally.records == count)
    await #expect(throws: DashboardError.self) { try await desk.perform(.resume, on: scan.id) }
    await #expect(throws: DashboardError.self) { try await desk.perform(.retry, on: scan.id) }
    await desk.close()
  }

  @Test func `two are at work, the third waits for its turn`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture { question, _ in
      gate.wait()
      return .ipAPI(question.addresses)
    }
    let desk = try await fixture.open()
    var ids: [String] = []
    for number in 1...3 { ids.append(try await desk.submit("8.8.8.\(number)\n").id) }
    _ = try await desk.wait(ids[1]) { _ in fixture.server.questions.count == 2 }
    let third = try await desk.scan(ids[2])
    #expect(third.state == .waiting && third.waiting == .queue)
    // Others have turns of their own.
    let other = try await desk.make("8.8.8.4\n", of: "other").scan.id
    try await waitUntil { fixture.server.questions.count == 3 }
    #expect(try await desk.scan(other, of: "other").state == .running)
    gate.open()
    for id in ids { _ = try await desk.wait(id, for: .done) }
    let listed = await desk.scans(limit: 2)
    #expect(listed.items.map(\.id) == [ids[2], ids[1]])
    let rest = await desk.scans(before: listed.next, limit: 2)
    #expect(rest.items.map(\.id) == [ids[0]] && rest.next == nil)
    try await desk.delete(ids[1])
    let behind = await desk.scans(before: listed.next, limit: 2)
    #expect(behind.items.map(\.id) == [ids[0]])
    #expect(await desk.scans(before: "nonsense", limit: 2).items.isEmpty)
    await desk.close()
  }

  @Test func `what failed is asked again`() async throws {
    let fixture = try DashboardFixture { question, number in
      number == 0 ? .init(status: 500) : .ipAPI(question.addresses)
    }
    let desk = try await fixture.open()
    let scan = try await desk.submit("8.8.8.8\n")
    let failed = try await desk.wait(scan.id, for: .done)
    #expect(failed.counts?.tally.failed == 1)
    #expect(try await desk.lines(scan.id, .missing) == ["8.8.8.8"])
    _ = try await desk.perform(.retry, on: scan.id)
    let done = try await desk.wait(scan.id, for: .done)
    #expect(done.counts?.tally.ok == 1 && done.counts?.tally.failed == 0)
    #expect(done.counts?.counters.requests == 2)
    let error = await #expect(throws: DashboardError.self) {
      try await desk.perform(.retry, on: scan.id)
    }
    #expect(error?.kind == .conflict)
    await desk.close()
  }

  @Test func `too many entries, and what cannot be read, fail with the reason`() async throws {
    let fixture = try DashboardFixture()
    var limits = testLimits()
    (limits.entries, limits.scans) = (10, 2)
    let desk = try await fixture.open(limits)
    let many = try await desk.submit(addressLines(11))
    let failed = try await desk.wait(many.id, for: .failed)
    #expect(failed.detail == "more than 10 entries (--limit-entries)")
    let picture = try await desk.submit("PK\u{3}\u{4}zip")
    #expect(try await desk.wait(picture.id, for: .failed).detail?.hasPrefix("the input: ") == true)
    let error = await #expect(throws: DashboardError.self) { try await desk.submit("8.8.8.8\n") }
    #expect(error?.kind == .tooLarge)
    try await desk.delete(many.id)
    #expect(fixture.folder.names.contains("serve"))
    #expect(await desk.scans(limit: 10).items.count == 1)
    await desk.close()
  }

  @Test func `an equal request makes one scan`() async throws {
    let fixture = try DashboardFixture()
    let desk = try await fixture.open()
    var new = NewScan(name: "once")
    new.idempotencyKey = "key"
    let first = try await desk.make("8.8.8.8\n", new)
    let second = try await desk.make("8.8.8.8\n", new)
    #expect(first.isNew && !second.isNew && first.scan.id == second.scan.id)
    let error = await #expect(throws: DashboardError.self) { try await desk.make("1.1.1.1\n", new) }
    #expect(error?.kind == .conflict)
    await desk.close()
  }

  @Test func `a name is short and plain, and a provider one that there is`() async throws {
    let fixture = try DashboardFixture()
    let desk = try await fixture.open()
    for name in [String(repeating: "n", count: 201), "a\nb"] {
      let error = await #expect(throws: DashboardError.self) {
        try await desk.submit("8.8.8.8\n", NewScan(name: name))
      }
      #expect(error?.kind == .invalid)
    }
    var new = NewScan(name: "n")
    new.provider = "nobody"
    let error = await #expect(throws: DashboardError.self) { try await desk.submit("x", new) }
    #expect(error?.kind == .invalid)
    #expect(await desk.scans(limit: 10).items.isEmpty)
    await desk.close()
  }

  @Test func `nothing more is put on a disk that is nearly full`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture { question, _ in
      gate.wait()
      return .ipAPI(question.addresses)
    }
    let id: String
    do {
      let desk = try await fixture.open()
      id = try await desk.submit(addressLines(5000)).id
      _ = try await desk.wait(id) { _ in gate.isWaitedFor }
      await desk.close()
      gate.open()
    }
    var limits = testLimits()
    limits.freeSpace = .max
    let desk = try await fixture.open(limits)
    let error = await #expect(throws: DashboardError.self) { try await desk.admitUpload() }
    #expect(error?.kind == .disk)
    let scan = try await desk.scan(id)
    #expect(scan.waiting == .disk)
    #expect(try await desk.perform(.pause, on: id).state == .paused)
    #expect(try await desk.perform(.resume, on: id).waiting == .disk)
    await desk.close()
  }

  @Test func `a user's scans and uploads take only so much of the disk`() async throws {
    let fixture = try DashboardFixture()
    var limits = DashboardFixture.testLimits()
    limits.disk = 200_000
    let desk = try await fixture.open(limits)
    let first = try await desk.admitUpload(announced: 150_000, atMost: 1 << 30)
    #expect(first.limit == 150_000)
    func kind(_ announced: Int?, of user: String = "") async -> DashboardError.Kind? {
      do {
        let upload = try await desk.admitUpload(of: user, announced: announced, atMost: 1 << 30)
        await desk.abandon(upload)
        return nil
      } catch { return error.kind }
    }
    #expect(await kind(100_000) == .tooLarge)
    #expect(await kind(100_000, of: "other") == nil)
    #expect(await kind(50_000) == nil)
    // One of unknown length gets what is left.
    let second = try await desk.admitUpload(atMost: 1 << 30)
    #expect(second.limit == 50_000)
    #expect(await kind(nil) == .tooLarge)
    await desk.abandon(first)
    #expect(await kind(100_000) == nil)
    await desk.abandon(second)
    let id = try await desk.submit("8.8.8.8\n").id
    _ = try await desk.wait(id, for: .done)
    // Its journal goes last.
    try await settled(desk, id)
    // SQLite's files beside its records go even later.
    try await waitUntil {
      let used = await desk.use[""]?.bytes ?? 0
      guard used > 0, await kind(200_000 - used) == nil else { return false }
      return await kind(200_001 - used) == .tooLarge
    }
    try await desk.delete(id)
    #expect(await kind(200_000) == nil)
    await desk.close()
  }
}
