import Testing

@testable import SondeAlerts
@testable import SondeOptions
@testable import SondeSystem
@testable import SondeTransfer
@testable import SondeWeb

@Suite struct WebhookFormTests {
  private let lost = networkEvent(
    "offline",
    "2026-11-23T03:14:07.125Z",
    [("cause", "link_down"), ("interface", "eth0")]
  )
  private let back = networkEvent(
    "online",
    "2026-11-23T03:16:18.125Z",
    [("previous", "offline"), ("interface", "eth0"), ("down_ms", 131_000)]
  )
  private let degraded = networkEvent(
    "degraded",
    "2026-11-23T03:15:00.000Z",
    [("previous", "offline"), ("cause", "lossy"), ("interface", "eth0"), ("loss", 0.35)]
  )

  private func request(
    _ alert: Alert,
    _ form: String?,
    _ url: String = "https://hook.example/x",
    next: Alert? = nil
  ) throws -> SondeTransfer.Request {
    try WebhookTarget(url, as: form, host: "here").request(for: alert.stored, next: next?.stored)
  }

  private func body(_ alert: Alert, _ form: String, _ url: String = "https://k@hook.example/x")
    throws
    -> JSON
  {
    try JSON(parsing: request(alert, form, url).body)
  }

  /// An alert whose names are as given.
  private func named(_ name: String) -> Alert {
    Alert(["event": "watch", "name": .string(name), "address": "::1"], host: "h")
  }

  // MARK: Which form, and where to

  @Test func `a shell offers each form`() {
    #expect(WebhookForm.all.map(\.name) == webhookFormats)
  }

  @Test func `the form follows from the host unless it is given`() throws {
    let table = [
      ("https://hooks.slack.com/services/T/B/x", "text"),
      ("https://discord.com/api/webhooks/1/x", "content"),
      ("https://DISCORDAPP.com/api/webhooks/1/x", "content"),
      ("https://prod.west.api.powerplatform.com/x", "attachments"),
      ("https://prod.logic.azure.com/x", "attachments"),
      ("https://x.webhook.office.com/x", "attachments"),
      ("https://key@events.pagerduty.com/v2/enqueue", "routing_key"),
      ("https://key@events.eu.pagerduty.com/v2/enqueue", "routing_key"),
      ("https://api.powerplatform.com/x", "summary"),
      ("https://xhooks.slack.com/x", "summary"),
      ("https://hooks.slack.com.example/x", "summary"),
    ]
    let alert = alerts([lost])[0]
    let wrong = try table.filter { url, member in
      try JSON(parsing: request(alert, nil, url).body)[member] == nil
    }
    #expect(wrong.map(\.0) == [])
    #expect(
      try request(alert, nil, "https://ntfy.sh/topic").body == Array(AlertText(alert).text.utf8)
    )
    #expect(try body(alert, "slack")["text"] != nil)
  }

  @Test func `mistakes are reported without the URL`() {
    let table: [(String, String?)] = [
      ("ftp://x/secret", nil), ("https://secret@", nil), ("https://x/secret", "Slack"),
      ("https://x/secret", ""), ("https://x/secret", "template:"),
      ("https://events.pagerduty.com/secret", nil), ("https://:secret@x/", "pagerduty"),
      ("https://x/secret", "template:/nowhere/t.json"),
    ]
    for (url, form) in table {
      let error = #expect(throws: WebhookError.self) {
        try WebhookTarget(url, as: form, host: "here")
      }
      #expect(error?.reason.contains("secret") == false)
    }
  }

  @Test func `the URL is asked for as given, but for keys and Discord's version`() throws {
    let alert = alerts([lost])[0]
    let table = [
      (
        "discord", "https://x/api/webhooks/1/a?wait=true",
        "https://x/api/v10/webhooks/1/a?wait=true"
      ),
      ("discord", "https://x/api/v9/webhooks/1/a", "https://x/api/v9/webhooks/1/a"),
      ("discord", "https://x/other/api/webhooks/1", "https://x/other/api/webhooks/1"),
      ("slack", "https://x/api/webhooks/1", "https://x/api/webhooks/1"),
      ("pagerduty", "https://k:@x:8443/v2/enqueue", "https://x:8443/v2/enqueue"),
      ("ntfy", "https://:tk_a@x/topic?a=b@c", "https://:tk_a@x/topic?a=b@c"),
    ]
    for (form, url, asked) in table { #expect(try request(alert, form, url).url == asked) }
    let target = try WebhookTarget("https://a:b@x.example/s", as: "slack", host: "here")
    #expect(target.url == "https://a:b@x.example/s")
    #expect(target.shown == "https://x.example")
    #expect(try body(alert, "pagerduty", "https://k%40%zz@x/")["routing_key"] == "k@%zz")
  }

  // MARK: Forms

  @Test func `sonde's own form is the event with the host and the text`() throws {
    let alert = alerts([lost])[0]
    let request = try request(alert, "sonde")
    let members: [(String, JSON)] = [
      ("host", "gate.example"), ("summary", .string(AlertText(alert).text)),
    ]
    #expect(try JSON(parsing: request.body) == .object((lost.members ?? []) + members))
    #expect(request.headers.map(\.value) == ["application/json"])
    #expect(request.method == .post)
    // What an older version stored gets the name of this machine.
    let old = try WebhookTarget("https://x/", host: "here").request(for: lost.bytes, next: nil)
    #expect(try JSON(parsing: old.body)["host"] == "here")
  }

  @Test func `names are text in Slack, Discord and Teams`() throws {
    let name = "<!channel> & @everyone *b* _i_ [x](y) ~s~ `c` ||s|| #h \\ <\u{338}@1> {{DATE(x)}}"
    let alert = named(name)
    #expect(
      try body(alert, "slack") == [
        "text": .string(
          "h: &lt;!channel&gt; &amp; @everyone *b* _i_ [x](y) ~s~ `c` ||s|| #h \\ &lt;\u{338}@1&gt; "
            + "{{DATE(x)}} (::1) changed"
        )
      ]
    )
    let escaped =
      "h: \\<!channel\\> & @everyone \\*b\\* \\_i\\_ \\[x\\](y) \\~s\\~ \\`c\\` \\|\\|s\\|\\| \\#h \\\\ "
      + "\\<\u{338}@1\\> \\{\\{DATE(x)\\}\\} (::1) changed"
    #expect(
      try body(alert, "discord") == [
        "content": .string(escaped), "allowed_mentions": ["parse": []],
      ]
    )
    let attachment = try #require(try body(alert, "teams")["attachments"]?.elements?.first)
    #expect(attachment["contentType"] == "application/vnd.microsoft.card.adaptive")
    #expect(
      attachment["content"]?["body"] == [
        ["type": "TextBlock", "text": .string(escaped), "wrap": true]
      ]
    )
    let list = try body(Alert(["event": "test"], host: "- x"), "discord")["content"]?.text
    #expect(list?.hasPrefix("\\- x: test") == true)
  }

  @Test func `long texts are cut between characters`() throws {
    let family = "👨‍👩‍👧‍👦"
    for name in [String(repeating: "a", count: 10_000), String(repeating: family, count: 1000)] {
      for shift in 0..<4 {
        let alert = named(String(repeating: "*", count: shift) + name)
        let content = try #require(try body(alert, "discord")["content"]?.text)
        #expect(content.utf16.count <= 2000 && content.utf16.count > 1980)
        #expect(content.hasSuffix("a…") || content.hasSuffix(family + "…"))
        let summary = try #require(try body(alert, "pagerduty")["payload"]?["summary"]?.text)
        #expect(summary.utf16.count <= 1024 && summary.utf16.count > 1000)
        let text = try request(alert, "ntfy").body
        #expect(text.count <= 4096 && String(validating: text, as: UTF8.self) != nil)
        let card = try request(alert, "teams").body
        #expect(card.count < 28 << 10)
      }
    }
    // An escape is not cut apart, and what just fits is not cut.
    let fits = String(repeating: "*", count: 989)
    #expect(Markup.markdown.escaped(fits, atMost: 1978) == String(repeating: "\\*", count: 989))
    #expect(Markup.markdown.escaped(fits, atMost: 1977).hasSuffix("\\*…"))
    #expect(Markup.plain.escaped("é", atMost: 1) == "é")
    #expect(Markup.plain.escaped(family + "a", atMost: 3) == "…")
  }

  @Test func `ntfy has title, priority and tags, also of what is over`() throws {
    let all = alerts([lost, degraded, back])
    func headers(_ alert: Alert, next: Alert? = nil) throws -> [String] {
      try request(alert, "ntfy", next: next).headers.map(\.value)
    }
    let type = "text/plain; charset=utf-8"
    #expect(try headers(all[0]) == [type, "gate.example: network lost", "5", "rotating_light"])
    #expect(try headers(all[1]) == [type, "gate.example: network degraded", "4", "warning"])
    #expect(
      try headers(all[2]) == [type, "gate.example: network good again", "3", "white_check_mark"]
    )
    #expect(
      try headers(named("Ü\n"))
        == [type, "=?UTF-8?Q?h:_=C3=9C=5Cn?=", "3", "white_check_mark"]
    )
    // Over by the time it is sent.
    #expect(try headers(all[0], next: all[2])[2...] == ["3", "white_check_mark"])
    #expect(try headers(all[0], next: all[1])[2...] == ["3", "white_check_mark"])
    // Another cause of the same loss, another machine, another endpoint end nothing.
    let same = alerts([lost, networkEvent("offline", "2026-11-23T03:15:00.000Z")])
    #expect(try headers(same[0], next: same[1])[2] == "5")
    #expect(try headers(all[0], next: alerts([back], host: "other")[0])[2] == "5")
    #expect(try headers(all[0], next: named("x"))[2] == "5")
    let title = headerText(String(repeating: "ü=?\r\n", count: 100))
    #expect(title.split(separator: " ").allSatisfy { $0.count <= 75 && $0.hasSuffix("?=") })
    #expect(title.utf8.allSatisfy { 0x20...0x7e ~= $0 })
  }

  @Test func `Alertmanager gets beginnings and ends with the same labels`() throws {
    let all = alerts([lost, degraded, back])
    let lists = try all.map { try body($0, "alertmanager").elements ?? [] }
    #expect(lists.map(\.count) == [1, 2, 1])
    let offline: JSON = [
      "alertname": "SondeOffline", "host": "gate.example", "endpoint": "ip-api.com:80",
      "severity": "critical",
    ]
    let lossy: JSON = [
      "alertname": "SondeDegraded", "host": "gate.example", "endpoint": "ip-api.com:80",
      "severity": "warning",
    ]
    #expect(lists.joined().map { $0["labels"] } == [offline, offline, lossy, lossy])
    #expect(
      lists.joined().map { [$0["startsAt"]?.text, $0["endsAt"]?.text] } == [
        ["2026-11-23T03:14:07.125Z", "2026-11-30T03:14:07.125Z"],
        ["2026-11-23T03:14:07.125Z", "2026-11-23T03:15:00.000Z"],
        ["2026-11-23T03:15:00.000Z", "2026-11-30T03:15:00.000Z"],
        ["2026-11-23T03:15:00.000Z", "2026-11-23T03:16:18.125Z"],
      ]
    )
    #expect(
      lists[0][0]["annotations"] == [
        "summary": .string(AlertText(all[0]).text), "cause": "link_down", "interface": "eth0",
      ]
    )
    let watch = try body(Alert(watchEvent, host: "h"), "alertmanager").elements?.first
    #expect(
      watch?["labels"] == [
        "alertname": "SondeWatchlist", "host": "h", "name": "Office", "severity": "info",
      ]
    )
    #expect(watch?["endsAt"] == nil)
    let test = try body(Alert(testAt: .now, host: "h"), "alertmanager").elements?.first
    #expect(test?["labels"] == ["alertname": "SondeTest", "host": "h", "severity": "info"])
  }

  @Test func `an end by a clock that was set back is not before its beginning`() throws {
    let early = networkEvent("online", "2026-11-23T03:00:00.000Z", [("down_ms", 5000)])
    let alert = try body(alerts([lost, early])[1], "alertmanager").elements?.first
    #expect(alert?["startsAt"] == "2026-11-23T03:00:00.000Z")
    #expect(alert?["endsAt"] == "2026-11-23T03:00:00.000Z")
  }

  @Test func `PagerDuty has one incident from leaving online to being back`() throws {
    let again = networkEvent("offline", "2026-11-23T04:00:00.000Z", [("cause", "no_route")])
    let all = try alerts([lost, degraded, back, again]).map { try body($0, "pagerduty") }
    let keys = all.map { $0["dedup_key"]?.text }
    #expect(Set(keys[..<3]).count == 1 && keys[3] != keys[0])
    #expect(all.map { $0["event_action"]?.text } == ["trigger", "trigger", "resolve", "trigger"])
    #expect(
      all.map { $0["payload"]?["severity"]?.text } == ["critical", "warning", "info", "critical"]
    )
    #expect(all[0]["routing_key"] == "k")
    #expect(
      all[0]["payload"] == [
        "summary": .string(AlertText(alerts([lost])[0]).text), "source": "gate.example",
        "severity": "critical", "timestamp": "2026-11-23T03:14:07.125Z",
      ]
    )
    let long = Alert(["event": "test"], host: String(repeating: "h", count: 10_000))
    #expect(try body(long, "pagerduty")["dedup_key"]?.text?.count == 255)
  }
}
