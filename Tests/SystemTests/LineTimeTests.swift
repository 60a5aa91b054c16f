import Foundation
import Testing

@testable import SondeSystem

/// A line and its time.
private struct TimeCase {
  let line: String
  /// RFC 3339, with milliseconds if there are any; `nil` where the line has no time.
  let time: String?

  init(_ line: String, _ time: String?) { (self.line, self.time) = (line, time) }
}

@Suite struct LineTimeTests {
  /// 2026-11-22T12:00:00Z.
  private static let now: Int64 = 1_795_348_800_000

  private static let cases = [
    // RFC 3339, ISO 8601.
    TimeCase("2015-05-17T10:05:03Z 8.8.8.8", "2015-05-17T10:05:03Z"),
    TimeCase("2015-05-17t10:05:03z 8.8.8.8", "2015-05-17T10:05:03Z"),
    TimeCase("2015-05-17T10:05:03.123456+02:00 x", "2015-05-17T08:05:03.123Z"),
    TimeCase("2015-05-17T10:05:03,5-0330 x", "2015-05-17T13:35:03.500Z"),
    TimeCase("2015-05-17T10:05:03+02 x", "2015-05-17T08:05:03Z"),
    TimeCase("2015-05-17T10:05:03", "2015-05-17T10:05:03Z"),
    TimeCase("2015-05-17T10:05Z x", "2015-05-17T10:05:00Z"),
    TimeCase("2015-05-17T10:05", "2015-05-17T10:05:00Z"),
    TimeCase("20150517T100503Z x", "2015-05-17T10:05:03Z"),
    TimeCase("20150517T100503.25+0200 x", "2015-05-17T08:05:03.250Z"),
    TimeCase("2016-12-31T23:59:60Z leap", "2017-01-01T00:00:00Z"),
    TimeCase("2016-02-29T00:00:00Z", "2016-02-29T00:00:00Z"),
    TimeCase(#"level=info time="2015-05-17T10:05:03Z" ip=8.8.8.8"#, "2015-05-17T10:05:03Z"),
    TimeCase("access.log:2015-05-17T10:05:03Z 8.8.8.8", "2015-05-17T10:05:03Z"),
    TimeCase("\u{feff}2015-05-17T10:05:03Z", "2015-05-17T10:05:03Z"),
    // Common and combined log.
    TimeCase(
      #"8.8.8.8 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12 "-" "curl""#,
      "2015-05-17T10:05:03Z"
    ),
    TimeCase("8.8.8.8 - frank [10/Oct/2000:13:55:36 -0700] x", "2000-10-10T20:55:36Z"),
    TimeCase(
      #"h 8.8.8.8 - - [17/May/2015:10:05:03 +0000] "GET /2001-01-01T00:00:00Z""#,
      "2015-05-17T10:05:03Z"
    ),
    // The error logs of nginx and Apache.
    TimeCase("2015/05/17 10:05:03 [error] 12#0: *1 client: 8.8.8.8", "2015-05-17T10:05:03Z"),
    TimeCase(
      "[Sun May 17 10:05:03.123456 2015] [core:error] [pid 1] [client 8.8.8.8:53] x",
      "2015-05-17T10:05:03.123Z"
    ),
    TimeCase("[Sun May 17 10:05:03 2015] [error] [client 8.8.8.8] x", "2015-05-17T10:05:03Z"),
    // Syslog.
    TimeCase("May 17 10:05:03 host sshd[1]: from 8.8.8.8", "2026-05-17T10:05:03Z"),
    TimeCase("May  7 10:05:03 host sshd[1]: from 8.8.8.8", "2026-05-07T10:05:03Z"),
    TimeCase("Nov 22 11:59:59 host x: 8.8.8.8", "2026-11-22T11:59:59Z"),
    TimeCase("Nov 22 12:00:00 host x: 8.8.8.8", "2026-11-22T12:00:00Z"),
    TimeCase("Nov 22 12:00:01 host x: 8.8.8.8", "2025-11-22T12:00:01Z"),
    TimeCase("Feb 29 10:05:03 host x: 8.8.8.8", "2024-02-29T10:05:03Z"),
    TimeCase("Feb  6 12:14:14 localhost sshd[1]: from 8.8.8.8", "2026-02-06T12:14:14Z"),
    TimeCase("<34>Oct 11 22:14:15 mymachine su: x", "2026-10-11T22:14:15Z"),
    TimeCase("<165>1 2003-10-11T22:14:15.003Z host app - - x", "2003-10-11T22:14:15.003Z"),
    TimeCase("<166>May 17 2015 10:05:03: %ASA-6-302013: x", "2015-05-17T10:05:03Z"),
    TimeCase("*Mar  1 18:46:11.123: %SYS-5-CONFIG_I: x", "2026-03-01T18:46:11.123Z"),
    // HAProxy, with and without syslog around it.
    TimeCase(
      "8.8.8.8:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30",
      "2009-02-06T12:14:14.655Z"
    ),
    TimeCase(
      "Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in",
      "2009-02-06T12:14:14.655Z"
    ),
    // Two columns.
    TimeCase("2015-05-17 10:05:03 W3SVC1 8.8.8.8 GET /", "2015-05-17T10:05:03Z"),
    TimeCase("2014-05-23\t01:13:11\tFRA2\t182\t192.0.2.10", "2014-05-23T01:13:11Z"),
    TimeCase("2015-05-17,10:05:03,8.8.8.8", "2015-05-17T10:05:03Z"),
    TimeCase("2015-05-17 10:05:03.123 UTC [1] LOG: x", "2015-05-17T10:05:03.123Z"),
    TimeCase("2015-05-17 10:05:03 +0200 x", "2015-05-17T08:05:03Z"),
    // Since 1970.
    TimeCase("1431857103.123    5 8.8.8.8 TCP_MISS/200", "2015-05-17T10:05:03.123Z"),
    TimeCase("1431857103.123456\tCXWv6p3\t8.8.8.8", "2015-05-17T10:05:03.123Z"),
    TimeCase("1431857103 8.8.8.8", "2015-05-17T10:05:03Z"),
    TimeCase("1431857103123 8.8.8.8", "2015-05-17T10:05:03.123Z"),
    TimeCase("1431857103123.5 8.8.8.8", "2015-05-17T10:05:03.123Z"),
    TimeCase("1431857103", "2015-05-17T10:05:03Z"),
    // JSON lines.
    TimeCase(#"{"time":"2015-05-17T10:05:03Z","ip":"8.8.8.8"}"#, "2015-05-17T10:05:03Z"),
    TimeCase(
      #"{"ip":"8.8.8.8","@timestamp":"2015-05-17T10:05:03.5Z"}"#,
      "2015-05-17T10:05:03.500Z"
    ),
    TimeCase(#"{"ts":1431857103.123,"ip":"8.8.8.8"}"#, "2015-05-17T10:05:03.123Z"),
    TimeCase(#"{"timestamp": 1431857103123 , "ip":"8.8.8.8"}"#, "2015-05-17T10:05:03.123Z"),
    TimeCase(#"{"date":"1431857103"}"#, "2015-05-17T10:05:03Z"),
    TimeCase(
      #"{"a":{"time":"2001-01-01T00:00:00Z"},"time":"2015-05-17T10:05:03Z"}"#,
      "2015-05-17T10:05:03Z"
    ),
    TimeCase(
      #"{"date":"2001-01-01T00:00:00Z","time":"2015-05-17T10:05:03Z"}"#,
      "2015-05-17T10:05:03Z"
    ),
    TimeCase(#"{"time":"soon","ts":1431857103}"#, "2015-05-17T10:05:03Z"),
    TimeCase(#"{"time":"17\/May\/2015:10:05:03 +0000"}"#, "2015-05-17T10:05:03Z"),
    TimeCase(#"{"msg":"at 2015-05-17 10:05:03 \"x\""}"#, "2015-05-17T10:05:03Z"),
    TimeCase(#"{"msg":"[\"{","time":"2015-05-17T10:05:03Z"}"#, "2015-05-17T10:05:03Z"),
    // journald: microseconds, behind the other members.
    TimeCase(#"{"__REALTIME_TIMESTAMP":"1431857103123456"}"#, "2015-05-17T10:05:03.123Z"),
    TimeCase(
      #"{"__REALTIME_TIMESTAMP":1,"_SOURCE_REALTIME_TIMESTAMP":1431857103123456}"#,
      "2015-05-17T10:05:03.123Z"
    ),
    TimeCase(
      #"{"__REALTIME_TIMESTAMP":"1431857103123456","date":"2001-01-01T00:00:00Z"}"#,
      "2001-01-01T00:00:00Z"
    ),
    TimeCase(#"{"__REALTIME_TIMESTAMP":"1431857103"}"#, nil),
    TimeCase(#"{"__REALTIME_TIMESTAMP":""}"#, nil),
    // None.
    TimeCase("8.8.8.8 is a resolver", nil),
    TimeCase("", nil),
    TimeCase("2015-02-29T10:05:03Z", nil),
    TimeCase("2015-13-01T10:05:03Z", nil),
    TimeCase("2015-05-17T24:05:03Z", nil),
    TimeCase("2015-05-17T10:60:03Z", nil),
    TimeCase("2015-05-17T10:05:61Z", nil),
    TimeCase("2015-05-17 10:05 no seconds", nil),
    TimeCase("2015-05/17 10:05:03", nil),
    TimeCase("32/May/2015:10:05:03 +0000", nil),
    TimeCase("17/Mai/2015:10:05:03 +0000", nil),
    TimeCase("1815-06-18T11:35:00Z", nil),
    TimeCase("12015-05-17T10:05:03Z", nil),
    TimeCase("x2015-05-17T10:05:03Z", nil),
    TimeCase("12345 8.8.8.8", nil),
    TimeCase("1431857103x 8.8.8.8", nil),
    TimeCase("8.8.8.8 1431857103", nil),
    TimeCase("in May 17 10:05:03 host", nil),
    TimeCase("May 32 10:05:03 host", nil),
    TimeCase("Feb 30 10:05:03 host", nil),
    TimeCase(#"{"time":null}"#, nil),
    TimeCase(#"{"time":"#, nil),
    TimeCase(#"{"time":-5}"#, nil),
    TimeCase("no time here\n2015-05-17T10:05:03Z", nil),
  ]

  @Test func `each form of a time is read`() {
    var parser = LineTimeParser(zone: .utc, now: Self.now)
    let wrong = Self.cases.compactMap { each -> String? in
      let found = parser.time(in: Array(each.line.utf8).span, from: 0)
      let expected = each.time.map(milliseconds)
      return found == expected ? nil : "\(each.line): \(found.map(String.init) ?? "none")"
    }
    #expect(wrong == [])
  }

  @Test func `what was found out of one line does not change what another one says`() {
    // Each case after each other one, by one parser and by a new one.
    var wrong: [String] = []
    for before in Self.cases {
      var used = LineTimeParser(zone: .utc, now: Self.now)
      for after in Self.cases {
        _ = used.time(in: Array(before.line.utf8).span, from: 0)
        let found = used.time(in: Array(after.line.utf8).span, from: 0)
        if found != after.time.map(milliseconds) { wrong.append(before.line + " / " + after.line) }
      }
    }
    #expect(wrong == [])
  }

  @Test func `a time is found in every line cut anywhere without a trap`() {
    var parser = LineTimeParser(zone: .utc, now: Self.now)
    for each in Self.cases {
      let bytes = Array(each.line.utf8)
      for end in 0...bytes.count {
        _ = parser.time(in: bytes.span.extracting(0..<end), from: 0)
        _ = parser.time(in: bytes.span, from: end)
      }
    }
  }

  @Test func `behind the reach there is no time`() {
    let padding = String(repeating: "x ", count: LineTimeParser.reach)
    var parser = LineTimeParser(zone: .utc, now: Self.now)
    let line = Array((padding + "2015-05-17T10:05:03Z").utf8)
    #expect(parser.time(in: line.span, from: 0) == nil)
  }

  private func milliseconds(_ text: String) -> Int64 {
    let hasFraction = text.contains(".")
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
    guard let date = try? style.parse(text) else { return -1 }
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

@Suite struct MomentTextTests {
  @Test func `a date is the begin of its day in the zone`() throws {
    let zone = try #require(TimeZoneRules("Europe/Berlin"))
    #expect(MomentText("2015-05-17")?.milliseconds(in: .utc) == 1_431_820_800_000)
    #expect(MomentText("2015-05-17")?.milliseconds(in: zone) == 1_431_813_600_000)
    #expect(MomentText("2015-05-17T00:00:00.5Z")?.milliseconds(in: zone) == 1_431_820_800_500)
    #expect(MomentText("2015-05-17 00:00Z")?.milliseconds(in: zone) == 1_431_820_800_000)
    #expect(MomentText("2015-05-17T00:00")?.milliseconds(in: zone) == 1_431_813_600_000)
  }

  @Test(arguments: [
    "", "2015", "2015-05", "17.05.2015", "2015-02-30", "2015-05-17T10:05:03Zx", "2h",
  ])
  func `what is no moment is none`(text: String) { #expect(MomentText(text) == nil) }
}
