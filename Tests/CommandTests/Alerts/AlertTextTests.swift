import Testing

@testable import SondeAlerts
@testable import SondeReachability
@testable import SondeSystem
@testable import SondeWeb

/// A network event, as `watch` writes it, with members that replace or add to the usual ones.
func networkEvent(_ state: String, _ at: String, _ members: [(String, JSON)] = []) -> JSON {
  let usual: [(String, JSON)] = [
    ("event", "network"), ("at", .string(at)), ("state", .string(state)),
    ("endpoint", "ip-api.com:80"),
  ]
  return .object(usual + members)
}

/// The alerts about changes in order, each with the course so far.
func alerts(_ events: [JSON], host: String = "gate.example") -> [Alert] {
  var course = NetworkCourse()
  return events.map { event in
    let moment = event["at"]?.text.flatMap { Timestamp(event: $0) } ?? Timestamp(milliseconds: 0)
    course.advance(by: NetworkFacts(event, at: moment))
    return Alert(event, host: host, course: course)
  }
}

let watchEvent: JSON = [
  "event": "watch", "at": "2026-11-23T03:14:07.125Z", "id": "7", "name": "Office",
  "address": "203.0.113.9", "record": ["city": "Paris"],
  "changes": [
    ["at": "2026-11-23T03:14:07.125Z", "field": "city", "from": "Lyon", "to": "Paris"],
    ["at": "2026-11-22T03:14:07.125Z", "field": "city", "from": "Nice", "to": "Lyon"],
  ],
]

@Suite struct AlertTextTests {
  private func text(_ events: JSON...) -> String { words(events).text }

  private func words(_ events: [JSON]) -> AlertText { AlertText(alerts(events)[events.count - 1]) }

  private let lost = networkEvent(
    "offline",
    "2026-11-23T03:14:07.125Z",
    [("cause", "link_down"), ("interface", "eth0")]
  )

  @Test func `a loss says its cause and where it is, and since when`() {
    #expect(
      text(lost)
        == "gate.example: network lost (link_down on eth0) since 2026-11-23 03:14:07 UTC"
    )
    let table: [([(String, JSON)], String)] = [
      ([("cause", "no_interface")], "no_interface"),
      ([("cause", "no_route"), ("interface", "eth0")], "no_route on eth0"),
      ([("cause", "unreachable"), ("interface", "eth0")], "unreachable: ip-api.com:80"),
      ([("cause", "captive_portal")], "captive_portal: ip-api.com:80"),
    ]
    let wrong = table.filter { members, place in
      let event = networkEvent("offline", "2026-11-23T03:14:07.125Z", members)
      return text(event)
        != "gate.example: network lost (\(place)) since 2026-11-23 03:14:07 UTC"
    }
    #expect(wrong.map(\.1) == [])
  }

  @Test func `a return says how long and why the network was lost`() {
    let back = networkEvent(
      "online",
      "2026-11-23T03:16:18.125Z",
      [("previous", "offline"), ("interface", "wlan0"), ("down_ms", 131_000)]
    )
    let expected =
      "gate.example: network back after 2 min 11 s (link_down on eth0), "
      + "lost since 2026-11-23 03:14:07 UTC"
    #expect(text(lost, back) == expected)
    // The first cause counts, and the loss began with it.
    let changed = networkEvent(
      "offline",
      "2026-11-23T03:15:00.000Z",
      [("previous", "offline"), ("cause", "unreachable"), ("interface", "eth0")]
    )
    #expect(
      text(lost, changed)
        == "gate.example: network lost (unreachable: ip-api.com:80) since 2026-11-23 03:14:07 UTC"
    )
    #expect(text(lost, changed, back) == expected)
  }

  @Test func `a bare event of an older version gets the words that it allows`() throws {
    let old = networkEvent("online", "2026-11-23T03:16:18.125Z", [("down_ms", 131_000)])
    let alert = try #require(Alert(stored: old.bytes, host: "here"))
    #expect(
      AlertText(alert).text
        == "here: network back after 2 min 11 s, lost since 2026-11-23 03:14:07 UTC"
    )
  }

  @Test func `a return that nobody saw took at least so long`() throws {
    let run = WatchedRun(
      id: 1,
      watcher: 1,
      program: "watch",
      endpoint: "ip-api.com:80",
      state: .offline,
      cause: "link_down",
      interface: "eth0",
      boot: 1,
      begin: 0,
      wall: 1_763_867_647_125,
      length: 131_000
    )
    var course = NetworkCourse(after: try #require(UnendedState(newestFirst: [run])))
    let event = networkEvent("online", "2026-11-23T09:00:00.000Z", [("down_ms", 131_000)])
    let at = try #require(Timestamp(event: "2026-11-23T09:00:00.000Z"))
    course.advance(by: NetworkFacts(event, at: at))
    let text = AlertText(Alert(event, host: "gate.example", course: course)).text
    #expect(
      text == "gate.example: network back after at least 2 min 11 s (link_down on eth0), "
        + "lost since 2025-11-23 03:14:07 UTC"
    )
  }

  @Test func `a degraded network says how bad it is`() {
    let table: [([(String, JSON)], String)] = [
      ([("cause", "lossy"), ("loss", 0.35), ("connect_ms", 12)], "lossy: 35 % lost"),
      ([("cause", "slow"), ("loss", 0), ("connect_ms", 412)], "slow: 412 ms"),
      ([("cause", "slow")], "slow"),
    ]
    let wrong = table.filter { members, quality in
      let event = networkEvent("degraded", "2026-11-23T03:14:07.125Z", members)
      return text(event)
        != "gate.example: network degraded (\(quality)) since 2026-11-23 03:14:07 UTC"
    }
    #expect(wrong.map(\.1) == [])
    let lossy = networkEvent("degraded", "2026-11-23T03:14:07.125Z", table[0].0)
    let good = networkEvent(
      "online",
      "2026-11-23T03:16:18.125Z",
      [("previous", "degraded"), ("degraded_ms", 131_000)]
    )
    #expect(
      text(lossy, good)
        == "gate.example: network good again after 2 min 11 s (lossy), "
        + "degraded since 2026-11-23 03:14:07 UTC"
    )
  }

  @Test func `a change on a watchlist names what is new, and nothing else`() {
    #expect(
      AlertText(Alert(watchEvent, host: "gate.example")).text
        == "gate.example: Office (203.0.113.9) changed: city Lyon to Paris"
    )
    let several: JSON = [
      "event": "watch", "at": "2026-11-23T03:14:07.125Z", "name": "Office",
      "address": "203.0.113.9",
      "changes": [
        ["at": "2026-11-23T03:14:07.125Z", "field": "country", "from": "France", "to": nil],
        ["at": "2026-11-23T03:14:07.125Z", "field": "city", "from": nil, "to": "Bonn"],
      ],
    ]
    #expect(
      AlertText(Alert(several, host: "h")).text
        == "h: Office (203.0.113.9) changed: country France to nothing, city nothing to Bonn"
    )
  }

  @Test func `the title is what stands before the details`() {
    let back = networkEvent("online", "2026-11-23T03:16:18.125Z", [("down_ms", 131_000)])
    let degraded = networkEvent("degraded", "2026-11-23T03:14:07.125Z", [("cause", "slow")])
    let test = Alert(testAt: Timestamp(milliseconds: 1_763_867_647_125), host: "gate.example")
    #expect(AlertText(test).text == "gate.example: test of alerts at 2025-11-23 03:14:07 UTC")
    #expect(
      [words([lost]), words([lost, back]), words([degraded]), words([degraded, back])].map(\.title)
        + [AlertText(test).title, AlertText(Alert(watchEvent, host: "gate.example")).title] == [
          "gate.example: network lost", "gate.example: network back",
          "gate.example: network degraded", "gate.example: network good again",
          "gate.example: test of alerts", "gate.example: Office",
        ]
    )
  }

  @Test func `names are one line without controls`() {
    let event: JSON = ["event": "watch", "name": "a\r\nX: b\u{202e}\u{1b}", "address": "::1"]
    let words = AlertText(Alert(event, host: "h\n"))
    #expect(words.title == #"h\n: a\r\nX: b\u{202e}\x1b"#)
    #expect(words.text == words.title + " (::1) changed")
  }

  @Test func `an alert comes back from a queue as it was`() throws {
    let all = alerts([lost]) + [Alert(watchEvent, host: "x"), Alert(testAt: .now, host: "y")]
    for alert in all { #expect(Alert(stored: alert.stored, host: "other") == alert) }
    let damaged = ["", "{}", "[]", "{\"event\":1}", "{\"event\":{}", "null"]
    #expect(damaged.filter { Alert(stored: Array($0.utf8), host: "h") != nil } == [])
  }

  @Test func `the course has each state with its own beginning`() {
    let events = [
      networkEvent("online", "2026-11-23T03:00:00.000Z"),
      networkEvent("degraded", "2026-11-23T03:01:00.000Z", [("cause", "slow")]),
      networkEvent("degraded", "2026-11-23T03:02:00.000Z", [("cause", "lossy")]),
      networkEvent("offline", "2026-11-23T03:03:00.000Z", [("cause", "unreachable")]),
      networkEvent("online", "2026-11-23T03:04:00.000Z"),
      networkEvent("offline", "2026-11-23T03:05:00.000Z", [("cause", "no_route")]),
    ]
    let courses = alerts(events).compactMap(\.course)
    func minute(_ moment: Timestamp?) -> Int64? { moment.map { $0.seconds / 60 % 60 } }
    #expect(courses.map { minute($0.left) } == [nil, 1, 1, 1, 1, 5])
    #expect(courses.map { minute($0.current?.since) } == [nil, 1, 1, 3, nil, 5])
    #expect(courses.map { minute($0.ended?.since) } == [nil, nil, nil, 1, 3, nil])
    #expect(
      courses.map { $0.current?.cause } == [nil, "slow", "slow", "unreachable", nil, "no_route"]
    )
  }
}
