import SondeStore
import Testing

@testable import SondeAsking
@testable import SondeReachability
@testable import SondeRecords
import SondeSystem

/// Scenarios of a path that comes and goes, drawn without sleeping.
@Suite struct PathMachineTests {
  private typealias Instant = ContinuousClock.Instant

  private let start = ContinuousClock.now

  private func machine(_ patience: OfflinePatience = .standard) -> Path {
    let machine = Path(PathMachine(endpoint: "ip-api.com:80", patience: patience))
    _ = machine.begin(now: start)
    return machine
  }

  private func transition(_ verdict: Verdict) -> NetworkTransition {
    let moment = Moment(steady: .zero, wall: .seconds(1_700_000_000))
    return NetworkTransition(
      verdict: verdict,
      previous: nil,
      interface: "eth0",
      endpoint: "ip-api.com:80",
      began: moment,
      lost: nil
    )
  }

  private let lossWords =
    "network lost: link_down on eth0, on the path to ip-api.com:80, since 2023-11-14T22:13:20Z"

  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  @Test func `the monitor's first word is waited for, but not for long`() {
    let silent = machine()
    #expect(!silent.isOpen(now: at(0.1)))
    #expect(silent.passage(otherSince: nil, now: at(0.1)) == .wait(until: at(1.5)))
    #expect(silent.passage(otherSince: nil, now: at(1.5)) == .open)
  }

  @Test func `it begins once`() {
    let machine = Path(PathMachine(endpoint: "x", patience: .standard))
    #expect(!machine.hasBegun)
    #expect(machine.begin(now: start))
    #expect(!machine.begin(now: at(1)))
    #expect(machine.hasBegun)
  }

  @Test func `a first online is no news, and everything else is`() {
    let machine = machine()
    #expect(!machine.take(transition(.online), now: start))
    #expect(machine.isOpen(now: start))
    #expect(machine.take(transition(.offline(.linkDown)), now: at(1)))
    #expect(machine.take(transition(.online), now: at(2)))
    let lost = self.machine()
    #expect(lost.take(transition(.offline(.linkDown)), now: start))
  }

  @Test func `ten seconds are enough before the first answer, and none after it`() {
    let machine = machine()
    _ = machine.take(transition(.offline(.linkDown)), now: start)
    #expect(machine.passage(otherSince: nil, now: at(9.9)) == .wait(until: at(10)))
    #expect(machine.passage(otherSince: nil, now: at(10)) == .lost(lossWords))
    _ = machine.take(transition(.online), now: at(20))
    machine.take(.answered, now: at(21))
    _ = machine.take(transition(.offline(.linkDown)), now: at(30))
    #expect(machine.passage(otherSince: nil, now: at(9999)) == .wait(until: nil))
  }

  @Test func `an answer to an earlier run of the same scan counts as one to this`() {
    let machine = machine()
    machine.noteEarlierAnswer()
    _ = machine.take(transition(.offline(.linkDown)), now: start)
    #expect(machine.passage(otherSince: nil, now: at(9999)) == .wait(until: nil))
  }

  @Test func `the patience given is kept`() {
    for (patience, deadline) in [
      (OfflinePatience.after(.seconds(3)), at(3)), (.after(.zero), at(0)), (.forever, nil),
    ] {
      let machine = machine(patience)
      _ = machine.take(transition(.offline(.linkDown)), now: start)
      machine.take(.answered, now: at(0))
      let passage = machine.passage(otherSince: nil, now: at(2))
      #expect(passage == (deadline == at(0) ? .lost(lossWords) : .wait(until: deadline)))
    }
  }

  @Test func `who waits for nothing is told of a loss at once`() {
    let machine = machine(.after(.zero))
    _ = machine.take(transition(.offline(.linkDown)), now: start)
    machine.noteTold()
    #expect(machine.passage(otherSince: nil, now: start) == .lost(lossWords))
  }

  @Test func `another path is taken once it has been open for a moment`() {
    let machine = machine(.forever)
    _ = machine.take(transition(.offline(.linkDown)), now: start)
    let later = at(1) + .milliseconds(100)
    #expect(machine.passage(otherSince: at(1), now: at(1)) == .wait(until: later))
    #expect(machine.passage(otherSince: at(1), now: later) == .lost(lossWords))
  }

  @Test func `a report of a loss closes it at once, for a moment that grows`() {
    let machine = machine(.forever)
    _ = machine.take(transition(.online), now: start)
    var now = at(0)
    for wait in [0.25, 0.5, 1, 2, 4, 5, 5] {
      machine.take(.timedOut, now: now)
      #expect(machine.passage(otherSince: nil, now: now) == .wait(until: now + .seconds(wait)))
      now += .seconds(wait)
      #expect(machine.isOpen(now: now))
    }
    machine.take(.provedOpen, now: now)
    machine.take(.timedOut, now: now)
    #expect(machine.passage(otherSince: nil, now: now) == .wait(until: now + .seconds(0.25)))
  }

  @Test func `reports of what was under way at the same time are one`() {
    let machine = machine(.forever)
    _ = machine.take(transition(.online), now: start)
    for _ in 0..<16 { machine.take(.timedOut, now: at(0)) }
    #expect(machine.passage(otherSince: nil, now: at(0)) == .wait(until: at(0.25)))
    for _ in 0..<16 { machine.take(.timedOut, now: at(0.3)) }
    #expect(machine.passage(otherSince: nil, now: at(0.3)) == .wait(until: at(0.8)))
  }

  @Test(arguments: [Finding.notResolved, .timedOut, .noRoute, .notPermitted, .loginPage])
  func `whatever speaks of a loss closes it, and any proof opens it`(finding: Finding) {
    for proof in [Finding.answered, .provedOpen] {
      let machine = machine(.forever)
      _ = machine.take(transition(.online), now: start)
      machine.take(finding, now: start)
      #expect(machine.isLost(now: start))
      machine.take(.inconclusive, now: start)
      #expect(machine.isLost(now: start))
      machine.take(proof, now: start)
      #expect(machine.isOpen(now: start))
    }
  }

  @Test func `what fails right after a return has not returned, and its patience goes on`() {
    let machine = machine(.after(.seconds(5)))
    _ = machine.take(transition(.offline(.linkDown)), now: start)
    _ = machine.take(transition(.online), now: at(3))
    machine.take(.timedOut, now: at(4))
    guard case .wait(let moment) = machine.passage(otherSince: nil, now: at(4)) else {
      Issue.record("it is not waited")
      return
    }
    #expect(moment == at(4.25))
    // No word of the monitor's has come since the first of them.
    machine.take(.timedOut, now: at(5.5))
    guard case .lost = machine.passage(otherSince: nil, now: at(5.5)) else {
      Issue.record("the patience began anew")
      return
    }
  }

  @Test func `an answer before the monitor sees the return proves that the loss was over`() {
    let machine = machine(.after(.seconds(3)))
    _ = machine.take(transition(.online), now: start)
    machine.take(.timedOut, now: at(1))
    _ = machine.take(transition(.offline(.unreachable)), now: at(1))
    #expect(machine.passage(otherSince: nil, now: at(2)) == .wait(until: at(4)))
    machine.take(.answered, now: at(3))
    _ = machine.take(transition(.online), now: at(3.1))
    #expect(machine.passage(otherSince: nil, now: at(3.2)) == .open)
    machine.take(.timedOut, now: at(4.5))
    _ = machine.take(transition(.offline(.unreachable)), now: at(4.5))
    #expect(machine.passage(otherSince: nil, now: at(4.8)) == .wait(until: at(6)))
  }

  @Test func `without a monitor the exchanges alone say how it is`() {
    let machine = machine(.forever)
    machine.goUnwatched()
    #expect(machine.isOpen(now: start))
    machine.take(.noRoute, now: at(2))
    #expect(machine.passage(otherSince: nil, now: at(2)) == .wait(until: at(2.25)))
    #expect(
      machine.passage(otherSince: at(1), now: at(2))
        == .lost(
          "network lost: unreachable, on the path to ip-api.com:80, since 2023-11-14T22:13:20Z"
        )
    )
  }

  @Test func `the monitor's word on a report is waited for, but not for long`() {
    let machine = machine(.after(.zero))
    _ = machine.take(transition(.online), now: start)
    machine.take(.loginPage, now: at(1))
    #expect(machine.passage(otherSince: nil, now: at(1)) == .wait(until: at(1.25)))
    machine.take(.loginPage, now: at(2.4))
    #expect(machine.passage(otherSince: nil, now: at(2.4)) == .wait(until: at(2.5)))
    #expect(
      machine.passage(otherSince: nil, now: at(2.5))
        == .lost(
          "network lost: captive_portal, on the path to ip-api.com:80, since 2023-11-14T22:13:20Z"
        )
    )
    _ = machine.take(transition(.offline(.linkDown)), now: at(2.6))
    #expect(machine.passage(otherSince: nil, now: at(2.6)) == .lost(lossWords))
  }

  @Test func `nobody gives up for a loss before it is told`() {
    let machine = machine(.after(.zero))
    machine.takeUntold(transition(.offline(.linkDown)), now: start)
    #expect(!machine.isOpen(now: at(3)))
    #expect(machine.passage(otherSince: at(0), now: at(3)) == .wait(until: nil))
    machine.noteTold()
    #expect(machine.passage(otherSince: nil, now: at(3)) == .lost(lossWords))
  }

  // MARK: - The ledger that machines share

  private var outage: LedgerOutage {
    LedgerOutage(place: "redis://h:6379/0", reason: "it closed the connection", began: start)
  }

  @Test func `while the ledger is gone nothing goes out, as while the network is lost`() {
    let machine = machine(.after(.seconds(5)))
    _ = machine.take(transition(.online), now: start)
    machine.take(outage, now: at(1))
    #expect(!machine.isOpen(now: at(1)) && machine.isLost(now: at(1)))
    // It is told first, and then waited for.
    #expect(machine.passage(otherSince: nil, now: at(9)) == .wait(until: nil))
    _ = machine.take(transition(.offline(.sharedUnreachable)), now: at(1))
    #expect(machine.passage(otherSince: nil, now: at(2)) == .wait(until: at(6)))
    machine.take(.answered, now: at(3))
    #expect(!machine.isOpen(now: at(3)))
    machine.take(nil, now: at(4))
    _ = machine.take(transition(.online), now: at(4))
    #expect(machine.isOpen(now: at(4)))
  }

  @Test func `the record says that the ledger is gone, where and since when`() {
    let machine = machine(.after(.zero))
    machine.take(outage, now: start)
    _ = machine.take(transition(.offline(.sharedUnreachable)), now: start)
    #expect(
      machine.passage(otherSince: nil, now: at(3))
        == .lost(
          "network lost: shared_unreachable, redis://h:6379/0: it closed the connection, "
            + "since 2023-11-14T22:13:20Z"
        )
    )
  }

  @Test func `a lost network is the cause while the ledger is gone, too`() {
    let machine = machine(.after(.zero))
    _ = machine.take(transition(.offline(.linkDown)), now: start)
    machine.take(outage, now: at(1))
    #expect(machine.passage(otherSince: nil, now: at(3)) == .lost(lossWords))
    machine.take(nil, now: at(4))
    #expect(machine.passage(otherSince: nil, now: at(4)) == .lost(lossWords))
  }
}

/// A machine whose steps may be looked at in an expectation.
private final class Path {
  typealias Instant = ContinuousClock.Instant

  private var machine: PathMachine

  init(_ machine: PathMachine) { self.machine = machine }

  var hasBegun: Bool { machine.hasBegun }
  func begin(now: Instant) -> Bool { machine.begin(now: now) }
  func goUnwatched() { machine.goUnwatched() }
  func noteTold() { machine.noteTold() }
  func noteEarlierAnswer() { machine.noteEarlierAnswer() }

  func take(_ finding: Finding, now: Instant) {
    machine.take(finding, now: now, wall: Timestamp(seconds: 1_700_000_000))
  }
  func take(_ outage: LedgerOutage?, now: Instant) {
    machine.take(outage, now: now, wall: Timestamp(seconds: 1_700_000_000))
  }

  func isOpen(now: Instant) -> Bool { machine.isOpen(now: now) }
  func isLost(now: Instant) -> Bool { machine.isLost(now: now) }

  func take(_ transition: NetworkTransition, now: Instant) -> Bool {
    defer { machine.noteTold() }
    return machine.take(transition, now: now)
  }

  func takeUntold(_ transition: NetworkTransition, now: Instant) {
    _ = machine.take(transition, now: now)
  }

  func passage(otherSince: Instant?, now: Instant) -> PathMachine.Passage {
    machine.passage(otherSince: otherSince, now: now)
  }
}
