import SondeProviders
import Testing

@testable import SondeOptions
@testable import SondeRecords
@testable import sonde

@Suite struct SourceTests {
  @Test func `the command line wins, then the environment, then the file`() throws {
    let file = file("retries = 1\ntimeout = 1\nconcurrency = 1\n")
    let environment = ["SONDE_RETRIES": "2", "SONDE_TIMEOUT": "2"]
    let options = try options("scan --retries 3", environment: environment, file: file)
    #expect(options.retries == 3)
    #expect(options.timeout == .seconds(2))
    #expect(options.concurrency == 1)
  }

  @Test func `a repeatable setting is replaced whole by the winning source`() throws {
    let two = file("database = a\ndatabase = b\n")
    #expect(try options("scan", file: two).databases == ["a", "b"])
    let environment = ["SONDE_DATABASE": "c"]
    #expect(try options("scan", environment: environment, file: two).databases == ["c"])
    let line = "scan --database d --database e"
    #expect(try options(line, environment: environment, file: two).databases == ["d", "e"])
  }

  @Test func `a variable may hold several webhooks, with blanks between`() throws {
    let environment = ["SONDE_WEBHOOK": "  http://a/  ntfy=https://b/t\thttp://c/\n"]
    let urls = [
      WebhookReceiver(url: "http://a/"), WebhookReceiver(format: "ntfy", url: "https://b/t"),
      WebhookReceiver(url: "http://c/"),
    ]
    #expect(try options("watch", environment: environment).webhooks == urls)
    let two = file("webhook = http://d/\nwebhook = slack=http://e/")
    #expect(try options("serve", file: two).webhooks.map(\.url) == ["http://d/", "http://e/"])
    #expect(try options("watch", environment: environment, file: two).webhooks == urls)
    #expect(
      try options("watch", environment: ["SONDE_WEBHOOK": "  "], file: two).webhooks.count == 2
    )
  }

  @Test func `the URL of a webhook begins after its format`() {
    let table: [(String, WebhookReceiver)] = [
      ("http://h/", WebhookReceiver(url: "http://h/")),
      ("HTTPS://h/?u=http://x/", WebhookReceiver(url: "HTTPS://h/?u=http://x/")),
      ("ntfy=https://:tk_a@h/", WebhookReceiver(format: "ntfy", url: "https://:tk_a@h/")),
      ("x=HTTP://h/", WebhookReceiver(format: "x", url: "HTTP://h/")),
      (
        "template:/a=b.json=https://h/?u=http://x/",
        WebhookReceiver(format: "template:/a=b.json", url: "https://h/?u=http://x/")
      ),
      ("template:/é.json=http://h/", WebhookReceiver(format: "template:/é.json", url: "http://h/")),
    ]
    #expect(differences(table) { (try? Form.webhook.read($0)) ?? WebhookReceiver(url: "") } == [])
    for text in [
      "none", "=ftp://h", "x=ftp://h", "http://", "http://:80/", "http://u@:80/", "ntfy=http:///x",
      "ntfy=", "=", "a b=http://h/ x",
    ] {
      #expect(complaint(["watch", "--webhook", text]) != nil)
    }
  }

  @Test func `a format that only other commands know is meant for them`() throws {
    let csv = file("format = csv")
    #expect(try options("watch", file: csv).watchFormat == nil)
    #expect(try options("status", file: csv) == Options())
    #expect(try options("scan", file: csv).format == .csv)
    let text = ["SONDE_FORMAT": "text"]
    #expect(try options("watch", environment: text).watchFormat == .text)
    #expect(try options("scan", environment: text).format == nil)
    #expect(try options("extract", environment: text) == Options())
    let json = ["SONDE_FORMAT": "json"]
    #expect(try options("status", environment: json).statusFormat == .json)
    #expect(try options("scan", environment: json).format == .json)
    #expect(
      try options("watch", environment: json, file: file("format = ndjson")).watchFormat == .ndjson
    )
  }

  @Test func `a flag can be taken back by a stronger source`() throws {
    let file = file("no-cache = true\nstrict = yes\nquiet = 1")
    let options = try options("scan", environment: ["SONDE_NO_CACHE": "0"], file: file)
    #expect(!options.noCache)
    #expect(options.strict)
    #expect(options.quiet)
  }

  @Test func `an empty variable counts as unset`() throws {
    let environment = ["SONDE_RETRIES": "", "SONDE_BOGUS": "", "SONDE_IP_API_KEY": ""]
    #expect(try options("scan", environment: environment) == Options())
  }

  @Test func `keys and base URLs come from the environment`() throws {
    let environment = [
      "SONDE_IP_API_KEY": "k", "SONDE_IPINFO_TOKEN": "t", "SONDE_IP_API_URL": "http://a",
      "SONDE_IPINFO_URL": "http://b", "SONDE_IPIFY_URL": "http://c",
    ]
    let options = try options("me", environment: environment)
    #expect(options.keys["ip-api-key"] == RedactedText(value: "k"))
    #expect(options.keys["ipinfo-token"] == RedactedText(value: "t"))
    #expect(options.baseURLs["ip-api-url"] == "http://a")
    #expect(options.baseURLs["ipinfo-url"] == "http://b")
    #expect(options.ipifyURL == "http://c")
  }

  @Test func `mistakes in the environment name the variable`() {
    let table: [(String, String?)] = [
      (
        "SONDE_TIMOUT=3",
        "unknown environment variable 'SONDE_TIMOUT'; did you mean 'SONDE_TIMEOUT'?"
      ),
      ("SONDE_HELP=1", "unknown environment variable 'SONDE_HELP'"),
      (
        "SONDE_FORMAT=xml",
        "bad value 'xml' for SONDE_FORMAT: expected \(Form.format.accepted)"
      ),
      (
        "SONDE_NO_CACHE=maybe",
        "bad value 'maybe' for SONDE_NO_CACHE: expected 1, 0, true, false, yes or no"
      ),
      (
        "SONDE_IPINFO_TOKEN=two words",
        """
        bad value (not shown) for SONDE_IPINFO_TOKEN: expected visible ASCII characters without \
        spaces
        """
      ),
      (
        "SONDE_IP_API_URL=ftp://me:pass@x",
        """
        bad value (not shown) for SONDE_IP_API_URL: expected a URL that begins with http:// or \
        https:// and a host
        """
      ),
      ("SONDEX=1", nil),
      ("OTHER=1", nil),
      ("SONDE_STATE=offline", nil),
      ("SONDE_DOWN_MS=12", nil),
      ("SONDE_PROGRAM=/opt/sonde", nil),
      ("SONDE_SIGNING_KEY=0123", nil),
    ]
    let wrong = differences(table) { assignment in
      let parts = assignment.split(separator: "=", maxSplits: 1).map(String.init)
      return complaint("scan", environment: [parts[0]: parts[1]])
    }
    #expect(wrong == [])
  }

  @Test func `a setting that the command does not take is validated and not used`() throws {
    let provider = ["SONDE_PROVIDER": "ipinfo", "SONDE_UNIQUE": "1"]
    #expect(try options("check", environment: provider) == Options())
    #expect(complaint("check", environment: ["SONDE_PROVIDER": "nobody"]) != nil)
    #expect(try options("check", file: file("retries = 2")) == Options())
    #expect(complaint("check", file: file("retries = two")) != nil)
  }

  @Test func `values below are validated though a stronger source wins`() {
    #expect(complaint("scan --retries 1", file: file("retries = x")) != nil)
    #expect(complaint("scan --retries 1", environment: ["SONDE_RETRIES": "x"]) != nil)
  }

  @Test func `the file takes comments, blank lines, CRLF and a byte-order mark`() throws {
    let text = """
      \u{feff}# how I like it\r
      \r
      \tretries=2\r
        timeout  =  3s  # per request\r
      output = a#b=c.csv\r
        # provider = ipinfo
      no-cache = true
      """
    let options = try options("scan", file: file(text))
    #expect(options.retries == 2)
    #expect(options.timeout == .seconds(3))
    #expect(options.output == "a#b=c.csv")
    #expect(options.providers == [.ipAPI, .local])
    #expect(options.noCache)
  }

  @Test func `an empty file sets nothing`() throws {
    #expect(try options("scan", file: file("")) == Options())
  }

  @Test func `mistakes in the file name their line`() {
    let table: [(String, String?)] = [
      ("retries = 1\n\ntimout = 3", "/h/config:3: unknown name 'timout'; did you mean 'timeout'?"),
      ("no_cache = 1", "/h/config:1: unknown name 'no_cache'; did you mean 'no-cache'?"),
      ("--timeout = 1", "/h/config:1: unknown name '--timeout'; did you mean 'timeout'?"),
      ("#\nno-cache", "/h/config:2: expected 'name = value'"),
      ("= 3", "/h/config:1: unknown name ''"),
      ("output =", "/h/config:1: output needs a value: expected a file name, or - for stdout"),
      (
        "output = # none",
        "/h/config:1: output needs a value: expected a file name, or - for stdout"
      ),
      (
        "format = xml",
        "/h/config:1: bad value 'xml' for format: expected \(Form.format.accepted)"
      ),
      (
        "strict = on",
        "/h/config:1: bad value 'on' for strict: expected 1, 0, true, false, yes or no"
      ),
      ("help = 1", "/h/config:1: 'help' is not set in this file; use --help"),
      (
        "ipify-url = http://x",
        "/h/config:1: 'ipify-url' is not set in this file; use SONDE_IPIFY_URL"
      ),
      ("output = a\0b", "/h/config:1: this line is not UTF-8 text"),
      (
        "ip-api-key = two words",
        """
        /h/config:1: bad value (not shown) for ip-api-key: expected visible ASCII characters \
        without spaces
        """
      ),
    ]
    #expect(differences(table) { complaint("scan", file: file($0)) } == [])
    let facts = ConfigurationFile.Facts(mode: 0o600, owner: 0, user: 0)
    let bytes = ConfigurationFile(path: "/h/config", contents: .bytes([0x61, 0xff], facts))
    #expect(complaint("scan", file: bytes) == "/h/config:1: this line is not UTF-8 text")
  }

  @Test func `a file with a key must be its user's alone`() throws {
    let key = "ip-api-key = s3cret\n"
    #expect(
      try options("scan", file: file(key)).keys["ip-api-key"] == RedactedText(value: "s3cret")
    )
    #expect(try options("scan", file: file(key, mode: 0o400)).keys["ip-api-key"] != nil)
    let exposed = "/h/config: it holds a key and can be read by others; run: chmod 600 /h/config"
    for mode: UInt32 in [0o644, 0o640, 0o604, 0o610, 0o602] {
      #expect(complaint("scan", file: file(key, mode: mode)) == exposed)
    }
    #expect(complaint("check", file: file("ipinfo-token = t", mode: 0o644)) == exposed)
    let foreign = try #require(complaint("scan", file: file(key, owner: 0)))
    #expect(foreign.contains("belongs to another user") && foreign.contains("chmod 600 /h/config"))
    #expect(complaint("scan", file: file("# " + key, mode: 0o644)) == nil)
    #expect(complaint("scan", file: file("retries = 1", mode: 0o644, owner: 0)) == nil)
  }

  @Test func `a key in the machine's file is root's and a group's that root chooses`() throws {
    let key = "ip-api-key = s3cret\n"
    for mode: UInt32 in [0o600, 0o640, 0o400, 0o440] {
      let file = file(key, as: .system, mode: mode, owner: 0)
      #expect(try options("scan", file: file).keys["ip-api-key"] == RedactedText(value: "s3cret"))
    }
    for mode: UInt32 in [0o644, 0o604, 0o602, 0o660, 0o620, 0o646] {
      let words = try #require(
        complaint("scan", file: file(key, as: .system, mode: mode, owner: 0))
      )
      #expect(words.hasPrefix("/h/config: it holds a key and can be "))
      #expect(words.hasSuffix("by others; run: chmod 600 /h/config"))
    }
    let foreign = try #require(complaint("scan", file: file(key, as: .system)))
    #expect(foreign.contains("belongs to another user than root"))
    #expect(complaint("scan", file: file("retries = 1", as: .system, mode: 0o666)) == nil)
    // systemd gives a service a copy, which is the service's or root's.
    for owner: UInt32 in [0, 1000] {
      let credential = file(key, as: .credential, mode: 0o440, owner: owner)
      #expect(complaint("scan", file: credential) == nil)
    }
    #expect(complaint("scan", file: file(key, as: .credential, owner: 7)) != nil)
    #expect(complaint("scan", file: file(key, as: .credential, mode: 0o444)) != nil)
  }

  @Test func `a file of the machine's that cannot be read matters where something may be sent`() {
    let path = "/etc/sonde/config"
    let file = ConfigurationFile(path: path, kind: .system, contents: .forbidden("no"))
    let advice = "chgrp GROUP \(path) && chmod 0640 \(path)"
    let table: [(String, Bool)] = [
      ("check", false), ("extract", false), ("plan", false), ("cache stats", false),
      ("completions bash", false), ("tables list", false), ("serve link", false),
      ("serve user list", false), ("scan --provider local", false),
      ("annotate --provider local", false),
      ("serve --provider local", false), ("summary --provider local --with own=x", false),
      ("scan", true), ("scan --provider local,ip-api", true), ("lookup 1.1.1.1", true),
      ("me", true),
      ("me --provider local", true), ("annotate", true), ("upgrade x", true), ("summary", true),
      ("watch", true), ("status", true), ("serve", true), ("tables update", true),
      ("tables add a b", true), ("tables remove a", false),
      ("scan --provider local --with names", true),
      ("lookup --provider local --with owner 1.1.1.1", true),
      ("scan --provider local --shared redis://h", true), ("plan --shared redis://h", true),
      ("cache stats --shared redis://h", true), ("serve --provider local --webhook http://h", true),
    ]
    let wrong = differences(table) { line in
      complaint(line, file: file).map {
        $0 == "\(path): no; for a group that may read it, let root run: \(advice)"
      }
        ?? false
    }
    #expect(wrong == [])
    #expect(complaint(["scan"], environment: ["SONDE_PROVIDER": "local"], file: file) == nil)
  }

  @Test func `the machine's file that is passed over is named`() throws {
    let file = ConfigurationFile(path: "/x", kind: .system, contents: .forbidden("no"))
    #expect(try options("extract", file: file).unreadFile == "/x: no")
    #expect(try options("completions bash", file: file).unreadFile == nil)
    let own = ConfigurationFile(path: "/x", contents: .unreadable("no"))
    #expect(complaint("extract", file: own) == "/x: no")
  }

  @Test func `a name that takes one value stands once in a file`() throws {
    let table: [(String, String?)] = [
      (
        "retries = 1\n\nretries = 1",
        "/h/config:3: retries stands in line 1 already, and takes one value"
      ),
      ("quiet = 1\nquiet = 0", "/h/config:2: quiet stands in line 1 already, and takes one value"),
      (
        "where = ip\nquiet = 1\nwhere = line",
        "/h/config:3: where stands in line 1 already, and takes one value: join both by 'and' in one"
      ),
      (
        "ip-api-key = a\nip-api-key = b",
        "/h/config:2: ip-api-key stands in line 1 already, and takes one value"
      ),
      (
        "format = csv\nformat = text",
        "/h/config:2: format stands in line 1 already, and takes one value"
      ),
      ("database = a\ndatabase = b", nil), ("with = aws\nwith = tor", nil),
      ("column = a\ncolumn = b", nil),
    ]
    #expect(differences(table) { complaint("scan", file: file($0)) } == [])
    // For commands that do not take it, too.
    #expect(complaint("extract", file: file("retries = 1\nretries = 2")) != nil)
  }

  @Test func `values know where they were given`() throws {
    let file = file("timeout = 5s\ndatabase = one\ndatabase = two\nstyle = json")
    let environment = ["SONDE_FIELDS": "ip", "SONDE_RETRIES": "1"]
    let options = try options("scan -o x --retries 2", environment: environment, file: file)
    let expected: [String: [String]] = [
      "output": ["-o"], "retries": ["--retries"], "fields": ["SONDE_FIELDS"],
      "timeout": ["/h/config:1: timeout"],
      "database": ["/h/config:2: database", "/h/config:3: database"],
    ]
    #expect(options.origins.mapValues { $0.map(\.description) } == expected)
    #expect(options.isGiven("retries") && !options.isGiven("fields") && !options.isGiven("timeout"))
  }

  @Test func `the user's file is in the folder of settings`() {
    let table: [([String: String], String?)] = [
      (["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c/sonde/config"),
      (["HOME": "/h"], "/h/.config/sonde/config"),
      (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/sonde/config"),
      (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/sonde/config"),
      ([:], nil),
      (["HOME": ""], nil),
    ]
    for (environment, path) in table {
      #expect(ConfigurationFile.usersPath(in: environment) == path)
    }
    #expect(ConfigurationFile.credentialPath(in: ["CREDENTIALS_DIRECTORY": "/c"]) == "/c/config")
    #expect(ConfigurationFile.credentialPath(in: ["CREDENTIALS_DIRECTORY": "c"]) == nil)
  }

  @Test func `the user's file wins, and repeatable settings are not mixed`() throws {
    let user = file("retries = 1\ndatabase = mine")
    let system = file("retries = 2\ntimeout = 5s\ndatabase = one\ndatabase = two")
    let merged = try CommandRequest(
      arguments: ["scan"],
      environment: [:],
      configuration: [user, system]
    )
    guard case .run(let invocation) = merged else { throw NotACommand(request: merged) }
    let options = invocation.options
    #expect((options.retries, options.timeout) == (1, .seconds(5)))
    #expect(options.databases == ["mine"])
  }

  @Test func `bytes that are no text are shown`() {
    #expect(NotText.escaped([0x6f, 0xe9, 0x0a, 0x2e]) == "o\\xe9\\x0a.")
  }
}
