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

/// Scans whose records another program has locked.
@Suite(.timeLimit(.minutes(1))) struct LockedScanTests {
  @Test func `a scan waits for a program that has its records locked, and says so`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture(holding: gate)
    let desk = try await fixture.open()
    let (id, program) = try await locked(desk, fixture, gate)
    let running = try await desk.scan(id)
    #expect(running.state == .running)
    #expect(running.detail == "its records.db is locked by another program: waiting for it")
    try program.execute("ROLLBACK")
    _ = try await desk.wait(id) { $0.detail == nil }
    let done = try await desk.wait(id, for: .done)
    #expect(done.counts?.tally.ok == 2000)
    #expect(try await desk.addresses(id).count == 2000)
    await desk.close()
  }

  @Test func `a scan is paused while its records are locked, and loses nothing`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture(holding: gate)
    let desk = try await fixture.open()
    let (id, program) = try await locked(desk, fixture, gate)
    #expect(try await desk.perform(.pause, on: id).detail == nil)
    try await settled(desk, id)
    #expect(try await desk.scan(id).state == .paused)
    try program.execute("ROLLBACK")
    _ = try await desk.perform(.resume, on: id)
    let done = try await desk.wait(id, for: .done)
    #expect(done.counts?.tally.ok == 2000)
    #expect(try await desk.addresses(id).count == 2000)
    await desk.close()
  }

  @Test func `a scan is deleted while its records are locked`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture(holding: gate)
    let desk = try await fixture.open()
    let (id, program) = try await locked(desk, fixture, gate)
    try await desk.delete(id)
    #expect(await desk.scans(limit: 1).items.isEmpty)
    try program.execute("ROLLBACK")
    await desk.close()
  }

  @Test func `a server that ends while records are locked has not died of the scan`() async throws {
    let gate = Gate()
    let fixture = try DashboardFixture(holding: gate)
    let (id, program): (String, Database)
    do {
      let desk = try await fixture.open()
      (id, program) = try await locked(desk, fixture, gate)
      await desk.close()
    }
    do {
      let state = try DashboardState(folder: fixture.folder.file("serve"))
      let kept = try #require(try await state.scans().first)
      #expect(!kept.deaths.isRunning && kept.life.phase == .active)
    }
    try program.execute("ROLLBACK")
    let desk = try await fixture.open()
    let done = try await desk.wait(id, for: .done)
    #expect(done.counts?.tally.ok == 2000)
    await desk.close()
  }

  /// Begins a scan of 2,000 addresses and locks its records; returns once it waits for that.
  private func locked(
    _ desk: ScanDesk,
    _ fixture: DashboardFixture,
    _ gate: Gate
  ) async throws -> (id: String, program: Database) {
    let id = try await desk.submit(addressLines(2000)).id
    _ = try await desk.wait(id) { _ in gate.isWaitedFor }
    let path = fixture.folder.file("serve/scans/\(id)/records.db")
    let program = try Database(path: path, .writing, wait: LockWait())
    try program.execute("BEGIN IMMEDIATE")
    gate.open()
    _ = try await desk.wait(id) { $0.detail != nil }
    return (id, program)
  }
}
