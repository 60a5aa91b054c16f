import Testing

@testable import SondeOptions
@testable import sonde

@Suite struct SettingTableTests {
  @Test func `no name stands for two settings of a command, and no letter for two at all`() {
    for command in CommandName.allCases {
      let names = Setting.all.filter { $0.isTaken(by: command) }.map(\.name)
      #expect(Set(names).count == names.count)
    }
    // Rows of one name share its letter.
    let lettered = Setting.all.filter { $0.short != nil }
    let names = Dictionary(grouping: lettered, by: \.short).mapValues { Set($0.map(\.name)) }
    #expect(names.values.allSatisfy { $0.count == 1 })
  }

  @Test func `every setting belongs to a command and has a one-line summary`() {
    for setting in Setting.all {
      #expect(!setting.commands.isEmpty)
      #expect(!setting.summary.hasSuffix(".") && !setting.summary.contains("\n"))
      #expect(setting.details?.hasSuffix(".") ?? true)
    }
  }

  @Test func `the options of scan are those of the contract`() {
    let expected: Set<String> = [
      "log", "pcap", "range", "duplicates", "max-expand", "strict", "output", "resume", "format",
      "fields", "spreadsheet", "unordered", "rejects", "missing", "provider", "database",
      "concurrency", "rate", "max-requests", "timeout", "retries", "offline-timeout", "cache",
      "no-cache", "cache-ttl", "stale-ok", "shared", "events", "quiet", "progress", "color", "help",
      "version", "with", "where", "resolver", "private-names", "owner-reuse", "pick", "anonymize",
      "refang", "time-zone", "by-network",
      "anonymize-key", "cache-keep", "min-group", "as-of",
    ]
    #expect(Set(CommandName.scan.options.map(\.name)) == expected)
  }

  @Test func `the options of watch are those of the contract`() {
    let expected: Set<String> = [
      "format", "provider", "endpoint", "interval", "probe", "portal-url", "settle", "once", "exec",
      "webhook", "syslog", "host-name", "test-alert", "metrics", "quiet", "color", "help",
      "version",
      "quorum", "degraded", "heartbeat", "heartbeat-every",
    ]
    #expect(Set(CommandName.watch.options.map(\.name)) == expected)
  }

  @Test func `defaults shown are defaults kept`() throws {
    let told: Set<String> = [
      "output", "database", "rate", "offline-timeout", "cache", "cache-ttl", "endpoint", "probe",
      "tables", "title", "wait", "state", "resolver", "host-name", "since", "until", "good",
      "cache-keep",
    ]
    for setting in Setting.all where !told.contains(setting.name) {
      guard let standard = setting.standard else { continue }
      var options = Options()
      try setting.value.store(standard, &options)
      #expect(options == Options(), "\(setting.name)")
    }
  }

  @Test func `every setting reaches its own place in the options`() throws {
    let texts = [
      "csv", "ndjson", "json", "keep", "always", "7", "ipinfo", "3/s", "http://x", "host:9", "text",
      "asn", "0:9", "country", "2015-05-17", "127.0.0.1:9", "10.0.0.0/8", "own=x",
      "redis://h", "range", "loss=20%", "truncate", "first", "12%", "1d", "20,44", "addresses",
    ]
    var reached: [String: String] = [:]
    for setting in Setting.all where setting.answer == nil {
      var options = Options()
      let candidates = setting.isFlag ? ["yes"] : texts
      let accepted = candidates.first { text in
        (try? setting.value.store(text, &options)) != nil && options != Options()
      }
      #expect(accepted != nil, "\(setting.name)")
      let changed = String(reflecting: options)
      // Rows of one name have one place.
      let other = reached[changed] ?? setting.name
      #expect(other == setting.name, "\(setting.name) and \(other)")
      reached[changed] = setting.name
    }
  }

  @Test func `the nearest word is offered only when it is near`() {
    let known = ["format", "fields", "provider", "progress", "no-cache"]
    let table: [(String, String?)] = [
      ("formt", "format"), ("fromat", "format"), ("formats", "format"), ("prov", "provider"),
      ("pro", "provider"), ("nocache", "no-cache"), ("no_cache", "no-cache"), ("field", "fields"),
      ("zzz", nil), ("", nil), ("outputs", nil),
    ]
    #expect(differences(table) { nearest(to: $0, among: known) } == [])
    #expect(nearest(to: "x", among: []) == nil)
  }
}
