import Foundation
import Testing

@testable import SondeAlerts
@testable import SondeOptions
@testable import SondeReachability
@testable import SondeReport
@testable import SondeSystem
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
    #expect(Set(lost.variables.map(\.name)) == Environment.givenToCommands)
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
