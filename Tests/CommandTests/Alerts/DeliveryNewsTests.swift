import SondeTransfer
import Testing

@testable import SondeAlerts

@Suite struct DeliveryNewsTests {
  @Test func `a failure and its end are reported once`() {
    var news = DeliveryNews()
    let told = [
      news.accept(), news.fail(), news.fail(status: 503), news.fail(), news.accept(),
      news.accept(), news.fail(status: 500),
    ]
    #expect(told == [false, true, false, false, true, false, true])
  }

  @Test func `a refusal is reported again only after another status or a delivery`() {
    var news = DeliveryNews()
    let first = [news.refuse(status: 400), news.refuse(status: 400)]
    // Silence is no other status.
    let silence = [news.fail(), news.refuse(status: 400)]
    let others = [news.refuse(status: 404), news.refuse(status: 400)]
    let answered = [news.fail(status: 503), news.refuse(status: 400)]
    let taken = [news.accept(), news.refuse(status: 400)]
    #expect([first, silence] == [[true, false], [true, false]])
    #expect([others, answered, taken] == [[true, true], [false, true], [true, true]])
  }

  private func shown(_ body: String, from url: String = "https://h/") -> String {
    words(of: SondeTransfer.Response(status: 400, body: Array(body.utf8)), from: url)
  }

  @Test func `words are short and printable`() {
    #expect(shown("") == "" && shown(" \n\t ") == "")
    #expect(shown("\r\nno such\nchannel \n") == "no such\\nchannel")
    #expect(shown(String(repeating: "é", count: 500)) == String(repeating: "é", count: 200))
    #expect(shown("e" + String(repeating: "\u{301}", count: 500)).unicodeScalars.count == 200)
    #expect(shown("a\u{1b}[31m\u{202e}") == "a\\x1b[31m\\u{202e}")
  }

  @Test func `words do not repeat what a URL holds`() {
    let url = "https://user:pass@h:8/hook/T0KEN?key=1#x"
    #expect(shown("Cannot POST /hook/T0KEN?key=1", from: url) == "Cannot POST …")
    #expect(shown("no /hook/T0KEN for user:pass or pass", from: url) == "no … for … or …")
    #expect(shown("/a", from: "https://h") == "/a")
  }
}
