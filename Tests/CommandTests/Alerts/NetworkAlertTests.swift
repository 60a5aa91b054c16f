import Foundation
import Testing

@testable import SondeAlerts
@testable import SondeOptions
@testable import SondeReachability
@testable import SondeRecords
@testable import SondeReport
@testable import SondeSystem
@testable import SondeWeb
@testable import sonde

@Suite struct NetworkAlertTests {
  private func alert(_ transition: NetworkTransition) -> Alert? {
    var alerts = NetworkAlerts(host: "gate.example")
    return alerts.alert(for: transition)
  }

  @Test func `all changes raise an alert but an online state at the start`() {
    #expect(alert(transition(.online, previous: nil)) == nil)
    #expect(alert(transition(.offline(.linkDown), previous: nil)) != nil)
    #expect(alert(transition(.offline(.noRoute), previous: .offline(.linkDown))) != nil)
    #expect(alert(transition(.online, previous: .offline(.linkDown), lost: -2000)) != nil)
  }

  /// What earlier watches saw, the newest first: offline for 3 s, degraded for 4 s before.
  private func unended(_ state: WatchedState) -> UnendedState? {
    let runs = [WatchedState.online, .degraded, .offline].enumerated().map { place, state in
      WatchedRun(
        id: Int64(place),
        watcher: 1,
        program: "watch",
        endpoint: "ip-api.com:80",
        state: state,
        cause: state == .offline ? "link_down" : "slow",
        interface: "eth0",
        boot: 1,
        begin: 0,
        wall: moment(-100_000 + 10_000 * place).wall.milliseconds,
        length: 5000 - 1000 * Int64(place)
      )
    }
    return UnendedState(newestFirst: runs.reversed().filter { $0.state <= state })
  }

  @Test func `an outage goes on in the next watch and took at least what was seen`()
    throws
  {
    var alerts = NetworkAlerts(host: "gate.example")
    alerts.resume(after: unended(.offline))
    let first = alerts.alert(for: transition(.offline(.noRoute), previous: nil))
    let lost = try #require(first)
    #expect(lost.event["state"]?.text == "offline")
    let change = transition(.online, previous: .offline(.noRoute), at: 2000, lost: 0)
    let end = alerts.alert(for: change)
    let back = try #require(end)
    for alert in [lost, back] {
      #expect(alert.course?.left?.withMilliseconds == "2025-12-31T23:58:30.000Z")
    }
    #expect(back.event["down_ms"]?.digits == "5000")
    #expect(
      AlertText(back).text == "gate.example: network back after at least 5 s (link_down on eth0), "
        + "lost since 2025-12-31 23:58:40 UTC"
    )
    // The next outage is another.
    let again = transition(.offline(.linkDown), previous: .online, at: 9000)
    let later = alerts.alert(for: again)
    let next = try #require(later)
    #expect(next.course?.left == next.at)
  }

  @Test func `a watch that finds an outage or a degraded time over raises an alert`() throws {
    let online = transition(.online, previous: nil)
    let table: [(WatchedState, NetworkTransition, String, String, String)] = [
      (
        .offline, online, "down_ms", "3000",
        "network back after at least 3 s (link_down on eth0), lost since 2025-12-31 23:58:40 UTC"
      ),
      (
        .degraded, online, "degraded_ms", "4000",
        "network good again after at least 4 s (slow), degraded since 2025-12-31 23:58:30 UTC"
      ),
    ]
    for (state, first, member, time, text) in table {
      var alerts = NetworkAlerts(host: "gate.example")
      alerts.resume(after: unended(state))
      let raised = alerts.alert(for: first)
      let back = try #require(raised)
      #expect(back.event[member]?.digits == time)
      #expect(back.event["previous"]?.text == state.rawValue)
      let message = try #require(back.event["message"]?.text)
      #expect(message.hasSuffix(" after at least \(time.prefix(1)).000 s"))
      #expect(AlertText(back).text == "gate.example: " + text)
      // What the incident began with, so that the same one is resolved.
      #expect(back.course?.left?.withMilliseconds == "2025-12-31T23:58:30.000Z")
      #expect(back.course?.current == nil)
      #expect(alerts.alert(for: online) == nil)
    }
    #expect(unended(.online) == nil)
  }

  @Test func `a degraded time that an earlier watch saw begin goes on or ends with a loss`() throws
  {
    var alerts = NetworkAlerts(host: "gate.example")
    alerts.resume(after: unended(.degraded))
    let first = alerts.alert(for: transition(.degraded(.slow), previous: nil))
    #expect(try #require(first).course?.ended == nil)
    alerts = NetworkAlerts(host: "gate.example")
    alerts.resume(after: unended(.degraded))
    let loss = alerts.alert(for: transition(.offline(.linkDown), previous: nil))
    let course = try #require(loss?.course)
    #expect(course.ended?.name == "degraded" && course.current?.name == "offline")
    #expect(course.left?.withMilliseconds == "2025-12-31T23:58:30.000Z")
  }

  @Test func `a command is told of a loss and of a return, with nothing left unset`() throws {
    let lost = try #require(alert(transition(.offline(.linkDown), previous: .online)))
    #expect(
      lost.variables.map { "\($0.name)=\($0.value)" } == [
        "SONDE_STATE=offline", "SONDE_CAUSE=link_down", "SONDE_INTERFACE=eth0",
        "SONDE_AT=2026-01-01T00:00:00.000Z", "SONDE_DOWN_MS=",
      ]
    )
    let back = transition(.online, previous: .offline(.linkDown), at: 4122, lost: 0)
    #expect(
      try #require(alert(back)).variables.map(\.value) == [
        "online", "", "eth0", "2026-01-01T00:00:04.122Z", "4122",
      ]
    )
    let test = Alert(testAt: lost.at, host: "gate.example")
    #expect(test.variables.map(\.value) == ["test", "", "", "2026-01-01T00:00:00.000Z", ""])
    // What a command that runs this program passes on is no setting of it.
    #expect(Environment.givenToCommands.isSuperset(of: lost.variables.map(\.name)))
  }

  @Test func `a log is told in one line`() throws {
    var lost = transition(.offline(.unreachable), previous: .online)
    lost.interface = "a\u{1b}b"
    #expect(
      try #require(alert(lost)).logLine
        == #"network offline on a\x1bb: the endpoint does not answer (unreachable), "#
        + "endpoint ip-api.com:80"
    )
    #expect(
      Alert(testAt: Timestamp(milliseconds: 0), host: "gate.example").logLine
        == "gate.example: test of alerts at 1970-01-01 00:00:00 UTC"
    )
  }

  @Test func `a line for a person says what, where, why and for how long`() {
    func text(_ transition: NetworkTransition) -> String {
      NetworkEvent.network(transition).text(colored: false)
    }
    let time = "2026-01-01T00:00:00.000Z  "
    #expect(
      text(transition(.online, previous: nil))
        == time + "online     eth0      the path to ip-api.com:80 is open"
    )
    #expect(
      text(transition(.offline(.noAddress), previous: .online))
        == time + "offline    eth0      the interface has no address (no_address)"
    )
    let table: [(Int, String)] = [
      (-7, "back after 0.007 s"), (-59999, "back after 59.999 s"),
      (-60_000, "back after 1 min"), (-7_500_000, "back after 2 h 5 min"),
    ]
    let wrong = table.filter { lost, words in
      !text(transition(.online, previous: .offline(.linkDown), lost: lost)).hasSuffix(words)
    }
    #expect(wrong.map(\.1) == [])
  }

  @Test func `a line for a person is wrapped at its words, in columns where there is room`() {
    let lost = transition(.offline(.noAddress), previous: .online)
    let columns = "2026-01-01T00:00:00.000Z  offline    eth0      the interface has no address"
    let margin = String(repeating: " ", count: 47)
    let narrow = """
      2026-01-01T00:00:00.000Z offline eth0
        the interface has no address
        (no_address)
      """
    for (width, expected) in [
      (200, columns + " (no_address)"), (80, columns + "\n\(margin)(no_address)"), (40, narrow),
    ] {
      #expect(NetworkEvent.network(lost).text(colored: false, width: width) == expected)
      let colored = NetworkEvent.network(lost).text(colored: true, width: width)
      let red = expected.replacingOccurrences(of: "offline", with: "\u{1b}[31moffline\u{1b}[0m")
      #expect(colored == red)
    }
  }

  @Test func `interfaces are described by their link and addresses`() {
    let table: [(Interface, String)] = [
      (Interface(name: "eth0"), "up and connected, no address"),
      (Interface(name: "eth0", isUp: false, isRunning: false), "set down, no address"),
      (
        Interface(name: "eth0", isRunning: false, link: .disconnected), "up, no carrier, no address"
      ),
      (
        Interface(name: "w", link: .disconnected, isWireless: true),
        "up, not associated, no address"
      ),
      (Interface(name: "tun0", link: .notApplicable), "up, no address"),
      (Interface(name: "x", isRunning: false, link: .unknown), "up, not running, no address"),
    ]
    let wrong = table.filter { interface, words in
      let change = NetworkEvent.interface(
        InterfaceChange.all(from: [], to: [interface], at: moment(0))[0]
      )
      return !change.text(colored: true).hasSuffix("  " + words)
    }
    #expect(wrong.map(\.1) == [])
  }
}
