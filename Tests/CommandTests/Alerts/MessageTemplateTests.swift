import Testing

@testable import SondeAlerts
@testable import SondeWeb

@Suite struct MessageTemplateTests {
  private let message = WebhookMessage(
    Alert(
      [
        "event": "watch", "at": "2026-11-23T03:14:07.125Z", "name": "\"A\" & é\n", "address": "::1",
        "down_ms": 12, "record": ["a": nil],
      ],
      host: "h"
    )
  )

  private func made(_ text: String, _ path: String = "t.txt") throws -> String {
    let template = try MessageTemplate(Array(text.utf8), path: path)
    return String(decoding: template.body(for: message), as: UTF8.self)
  }

  @Test func `places take values as text, as JSON and percent-encoded`() throws {
    let table = [
      ("", ""), ("no place", "no place"), ("{ {host} }", "{ {host} }"),
      ("{{host}}:{{ host }}", "h:h"), ("{{name}}", "\"A\" & é\n"),
      ("{{json name}}", #""\"A\" & é\n""#), ("{{url name}}", "%22A%22%20%26%20%C3%A9%0A"),
      ("{{down_ms}} {{json down_ms}} {{url down_ms}}", "12 12 12"),
      ("[{{note}}|{{json note}}|{{url note}}]", "[|null|]"),
      ("{{record}} {{json record}}", "{\"a\":null} {\"a\":null}"),
      ("{{title}}", "h: \"A\" & é\\n"), ("{{summary}}}", "h: \"A\" & é\\n (::1) changed}"),
    ]
    for (text, expected) in table { #expect(try made(text) == expected) }
  }

  @Test func `a value between quotes of a JSON file breaks nothing`() throws {
    #expect(
      try made(#"{"a":"<{{name}}>\"{{name}}"}"#, "t.JSON") == #"{"a":"<\"A\" & é\n>\"\"A\" & é\n"}"#
    )
    #expect(try made(#"{"a":"{{json name}}"}"#, "t.txt") == #"{"a":""\"A\" & é\n""}"#)
  }

  @Test func `mistakes are reported`() {
    let table = [
      ("{{nothing}}", "t.txt"), ("{{host", "t.txt"), ("{{}}", "t.txt"), ("{{json}}", "t.txt"),
      ("{{xml host}}", "t.txt"), ("{{json host x}}", "t.txt"), ("{{hosts}}", "t.txt"),
      ("", "t.json"), ("{{summary}}", "t.json"), ("{\"a\":{{down_ms}}}", "t.json"),
      ("{\"a\":\"{{json host}}\"}", "t.json"), ("{\"a\":{{json host}}", "t.json"),
    ]
    let right = table.filter { text, path in
      (try? MessageTemplate(Array(text.utf8), path: path)) != nil
    }
    #expect(right.map(\.0) == [])
    #expect(throws: WebhookError.self) { try MessageTemplate([0xff], path: "t.txt") }
    #expect(throws: WebhookError.self) { try MessageTemplate(path: "/nowhere") }
    #expect(throws: WebhookError.self) { try MessageTemplate(path: "/") }
  }

  @Test func `the type follows from the ending`() throws {
    let types = try ["t.json", "T.JSON", "t.form", "t.txt", "t", "json"].map {
      try MessageTemplate(Array("1".utf8), path: $0).contentType
    }
    let (json, form) = ("application/json", "application/x-www-form-urlencoded")
    let plain = "text/plain; charset=utf-8"
    #expect(types == [json, json, form, plain, plain, plain])
  }
}
