import SondeTransfer
import Testing

@testable import SondeAlerts

@Suite struct ConsequenceTests {
  /// The consequence of an answer; the time is 2026-11-23 03:14:07 UTC.
  private func consequence(
    _ status: Int,
    _ headers: [String] = [],
    body: String = "",
    isSecure: Bool = true
  ) -> Consequence {
    let lines = ["HTTP/1.1 \(status) x"] + headers + ["", ""]
    let response = SondeTransfer.Response(
      status: status,
      body: Array(body.utf8),
      rawHeader: Array(lines.joined(separator: "\r\n").utf8)
    )
    return Consequence(of: response, isSecure: isSecure, now: 1_795_403_647)
  }

  @Test(arguments: [false, true]) func `every status has one consequence`(isSecure: Bool) {
    let again = [408, 425, 429]
    let wrong = (200...999).filter { status in
      let expected: Consequence =
        switch status {
        case 200..<300: .delivered
        case 300..<400: isSecure ? .refused : .again(after: nil)
        case 500..<600: .again(after: nil)
        default: again.contains(status) ? .again(after: nil) : .refused
        }
      return consequence(status, body: "<html>", isSecure: isSecure) != expected
    }
    #expect(wrong == [])
  }

  @Test func `any answer but a refusal may ask for a wait, in seconds or as a date`() {
    for status in [408, 425, 429, 500, 503, 599] {
      #expect(consequence(status, ["retry-after:  7 "]) == .again(after: .seconds(7)))
    }
    #expect(
      consequence(302, ["Retry-After: 7"], isSecure: false) == .again(after: .seconds(7))
    )
    let date = "Retry-After: Mon, 23 Nov 2026 03:15:00 GMT"
    #expect(consequence(503, [date]) == .again(after: .seconds(53)))
    #expect(consequence(400, ["Retry-After: 7"]) == .refused)
    #expect(consequence(200, ["Retry-After: 7"]) == .delivered)
  }

  @Test func `a wait that is none leaves the pause to the schedule`() {
    let values = [
      "", "0", "-1", "1.5", "soon", "Mon, 23 Nov 2026 03:14:00 GMT", "Mon, 23 Nov 2026",
    ]
    for value in values {
      #expect(consequence(503, ["Retry-After: \(value)"]) == .again(after: nil))
    }
    let bodies = [
      "", "{}", "[1]", "{\"retry_after\": 0}", "{\"retry_after\": -3}", "{\"retry_after\": \"4\"}",
      "{\"retry_after\": null}", "{\"retry_after\": 4", "{\"x\": {\"retry_after\": 4}}",
    ]
    for body in bodies { #expect(consequence(429, body: body) == .again(after: nil)) }
  }

  @Test func `a 429 may ask for a wait in its body, with a fraction`() {
    let body = "{\"message\": \"slow\", \"retry_after\": 0.25, \"global\": false}"
    #expect(consequence(429, body: body) == .again(after: .milliseconds(250)))
    #expect(consequence(503, body: body) == .again(after: nil))
    #expect(consequence(429, ["Retry-After: 1"], body: body) == .again(after: .seconds(1)))
    #expect(
      consequence(429, ["Retry-After: 1"], body: "{\"retry_after\": 1.5}")
        == .again(after: .milliseconds(1500))
    )
  }

  @Test func `none is longer than an hour`() {
    let hour = Consequence.again(after: .seconds(3600))
    let values = ["3601", "99999999999999999999999", "Mon, 23 Nov 2026 09:00:00 GMT"]
    for value in values { #expect(consequence(503, ["Retry-After: \(value)"]) == hour) }
    for value in ["3600.5", "1e300", "99999999999999999999999"] {
      #expect(consequence(429, body: "{\"retry_after\": \(value)}") == hour)
    }
  }
}
