import SondeProviders
import Testing

@testable import SondeOptions
@testable import sonde

@Suite struct ValueTests {
  private func read<Value>(_ form: Form<Value>) -> (String) -> Value? {
    { text in try? form.read(text) }
  }

  @Test func `durations are numbers with a unit, bare ones seconds`() {
    let table: [(String, Duration?)] = [
      ("0", .zero),
      ("10", .seconds(10)),
      ("250ms", .milliseconds(250)),
      ("10s", .seconds(10)),
      ("5m", .seconds(300)),
      ("24h", .seconds(86_400)),
      ("7d", .seconds(604_800)),
      ("1.5h", .seconds(5_400)),
      ("0.25", .milliseconds(250)),
      (".5s", .milliseconds(500)),
      ("0.5ms", .microseconds(500)),
      ("1.0000000001", .seconds(1)),
      ("0000000000000000000000001", .seconds(1)),
      ("36500d", .seconds(3_153_600_000)),
      ("36500.1d", nil),
      ("99999999999999999999999999999999999999999d", nil),
      ("999999999999999d", nil),
      ("-1", nil), ("+1", nil), ("", nil), ("s", nil), (".", nil), ("1.", nil), ("1.2.3", nil),
      ("inf", nil), ("nan", nil), ("1e3", nil), ("0x10", nil), ("1,5", nil), ("1 s", nil),
      (" 1", nil), ("1S", nil), ("1min", nil), ("1h30m", nil), ("1w", nil), ("forever", nil),
      ("١٢", nil), ("½", nil),
    ]
    #expect(differences(table, read(.duration)) == [])
  }

  @Test func `a request's timeout is above zero`() throws {
    #expect(try options("scan --timeout 1ms").timeout == .milliseconds(1))
    for text in ["0", "0ms", "0.0", "0.00000000001"] {
      let message = try #require(complaint("scan --timeout \(text)"))
      #expect(message.hasPrefix("bad value '\(text)' for --timeout: it must be above zero; "))
    }
  }

  @Test func `the offline timeout is a duration or forever`() {
    let table: [(String, OfflineTimeout?)] = [
      ("forever", .forever),
      ("0", .after(.zero)),
      ("2m", .after(.seconds(120))),
      ("Forever", nil),
      ("never", nil),
    ]
    #expect(differences(table, read(.offlineTimeout)) == [])
  }

  @Test func `rates are whole requests per second or minute`() {
    let table: [(String, Rate?)] = [
      ("5/s", Rate(requests: 5, window: .seconds(1))),
      ("45/min", Rate(requests: 45, window: .seconds(60))),
      ("0/s", nil), ("-1/s", nil), ("0.5/s", nil), ("5", nil), ("5/", nil), ("/s", nil),
      ("5/h", nil), ("5/s/s", nil), ("5 / s", nil), ("5/m", nil), ("", nil),
      ("99999999999999999999/s", nil),
    ]
    #expect(differences(table, read(.rate)) == [])
  }

  @Test func `counts are whole numbers within their bounds`() {
    let table: [(String, Int?)] = [
      ("1", 1), ("007", 7), ("1000", 1000),
      ("0", nil), ("1001", nil), ("-1", nil), ("+1", nil), ("1.0", nil), ("1e2", nil), ("", nil),
      ("1_0", nil), ("1,000", nil), ("99999999999999999999", nil), ("٣", nil), ("ten", nil),
    ]
    #expect(differences(table, read(.count(1...1000))) == [])
  }

  @Test func `bounds differ as the options need`() {
    let table: [(String, Bool)] = [
      ("scan --concurrency 0", false), ("scan --concurrency 1", true),
      ("scan --concurrency 1001", false),
      ("scan --retries 0", true),
      ("scan --max-requests 0", true),
      ("scan --max-requests 9223372036854775807", true),
      ("scan --max-requests 9223372036854775808", false),
      ("scan --max-expand 0", false), ("scan --max-expand 1", true),
    ]
    #expect(differences(table) { complaint($0) == nil } == [])
  }

  @Test func `a count out of bounds is told its bounds`() {
    #expect(
      complaint("scan --concurrency 0")
        == "bad value '0' for --concurrency: expected a whole number from 1 to 1000"
    )
    #expect(
      complaint("scan --max-expand 99999999999999999999")
        == """
        bad value '99999999999999999999' for --max-expand: too large; expected a whole number of \
        1 or more
        """
    )
  }

  @Test func `providers are known names, none twice`() {
    let table: [(String, [Provider]?)] = [
      ("local", [.local]),
      ("ipinfo,ip-api", [.ipinfo, .ipAPI]),
      ("ipinfo-lite , local", [.ipinfoLite, .local]),
      ("local,local", nil), ("ipapi", nil), ("local,", nil), (",local", nil), ("", nil), (",", nil),
      ("IP-API", nil),
    ]
    #expect(differences(table, read(.providers)) == [])
    let names = alternatives(Provider.all.map(\.name))
    let expected = "expected a list of \(names), with commas between them"
    #expect(
      complaint("scan --provider local,local")
        == "bad value 'local,local' for --provider: provider 'local' stands there twice; \(expected)"
    )
    #expect(
      complaint("scan --provider=ipapi")
        == "bad value 'ipapi' for --provider: unknown provider 'ipapi'; \(expected)"
    )
  }

  @Test func `base URLs are absolute ones of HTTP`() {
    let table: [(String, String?)] = [
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
      ("https://mirror.example/ip/", "https://mirror.example/ip/"),
      ("HTTP://[::1]:80/x", "HTTP://[::1]:80/x"),
      ("http://", nil), ("http:///x", nil), ("http://:80", nil), ("ftp://x", nil), ("x", nil),
      ("http://a b", nil), ("http://a\nb", nil), ("http://\u{e9}", nil),
    ]
    #expect(differences(table, read(.url)) == [])
  }

  @Test func `keys are visible ASCII`() {
    let table: [(String, RedactedText?)] = [
      ("aZ09-_.~", RedactedText(value: "aZ09-_.~")),
      ("a b", nil), ("a\nb", nil), ("a\r\nX-Y: z", nil), ("\u{e9}", nil), ("\u{7f}", nil),
    ]
    #expect(differences(table, read(.secret)) == [])
  }

  @Test func `flags outside the command line take yes and no`() {
    let table: [(String, Bool?)] = [
      ("1", true), ("true", true), ("yes", true), ("YES", true),
      ("0", false), ("false", false), ("no", false),
      ("on", nil), ("2", nil), ("", nil),
    ]
    #expect(differences(table, read(.flag)) == [])
  }

  @Test func `a secret is in no description`() throws {
    var options = Options()
    options.keys["ip-api-key"] = RedactedText(value: "s3cret")
    var dumped = ""
    dump(options, to: &dumped)
    let shown = ["\(options)", String(reflecting: options), dumped]
    #expect(shown.filter { $0.contains("s3cret") } == [])
    #expect(shown.allSatisfy { $0.contains("redacted") })
  }
}
