import Names
import Providers
import Reachability
import Records
import Redis
import Scanner
import Summary
import Web

/// The value of every setting, as the command takes it.
struct Options: Sendable, Equatable {
  /// Where the values of each setting were given, in their order, by its name.
  var origins: [String: [Origin]] = [:]

  /// The machine's file of settings, with the reason, where this user cannot read it and need not.
  var unreadFile: String?

  /// Whether `help` writes man(7).
  var man = false

  // Input
  /// Whether addresses are searched for anywhere in the text, instead of one item per line.
  var log = false
  /// Whether every file is a capture of packets.
  var pcap = false
  var duplicates = Duplicates.first
  /// The most addresses that a block or range may hold.
  var maxExpand = 65_536
  /// Whether an invalid entry makes the exit status 1.
  var strict = false
  /// Whether `extract` prints only the first occurrence of each address.
  var unique = false
  /// Whether `extract` says how many addresses there are instead of which.
  var count = false
  /// Whether `extract` says which file each address is from.
  var withFilename = false
  /// Whether `extract` keeps to the addresses of one family; both, or neither, are all.
  var ipv4 = false
  var ipv6 = false
  /// The bytes of an input of which the lines that begin there are read; `nil` for all.
  var range: Range<Int>?
  /// Whether `extract` leaves special-purpose addresses out.
  var noReserved = false

  // Output
  /// The file to write; `nil` for stdout.
  var output: String?
  /// `nil`: by the output, see ``OutputEnding``.
  var format: Format?
  /// The columns of the records; `nil` for the usual ones.
  var fields: FieldSelection?
  /// Who adds columns beside whatever provider answered, in their order.
  var with: [NamedSource] = []
  /// Who is asked for names; `nil` for the system's resolver.
  var resolver: ResolverPlace?
  /// Whether names of private addresses are asked for, too.
  var privateNames = false
  /// What records must be like to be written, as it was given; `nil` for all.
  var condition: String?
  /// For which addresses besides its own what a registry says of one holds.
  var ownerReuse = OwnerReuse.block
  var spreadsheet = false
  var unordered = false
  var rejects: String?
  var missing: String?
  var resume = false
  /// How `annotate` inserts what is known.
  var style = AnnotateStyle.brackets
  /// The name of the member that `annotate` adds to lines of JSON.
  var key = "sonde"
  /// The columns of tables in which `annotate` finds addresses; empty where the tables are to tell.
  var columns: [String] = []
  /// What parts the cells of tables; `nil` where their headers are to tell.
  var delimiter: UInt8?
  /// The longest that a line of `annotate` waits for its answers; `nil` is for ever.
  var wait: Duration?
  /// Whether `annotate` leaves out the lines without an address.
  var onlyMatching = false

  // Summary
  /// `nil`: by the output's name, else a table.
  var summaryFormat: SummaryFormat?
  /// The most rows of a table; 0 is all.
  var top = 10
  /// The tables to write; `nil` for all that have data.
  var tables: TableList?
  /// Lines before or from these moments on are left out.
  var since: TimeBound?
  var until: TimeBound?
  /// The name of the zone of times that tell none, and of the timeline.
  var timeZone = "UTC"
  /// The file of the page; `nil` for none.
  var html: String?
  var title: String?

  // Providers
  /// In order of preference; never empty, none twice.
  var providers: [Provider] = [.ipAPI, .local]
  /// The local databases; empty for the installed one.
  var databases: [String] = []

  // Requests
  var concurrency = 8
  /// `nil`: the provider's own published quota.
  var rate: Rate?
  var maxRequests: Int?
  var timeout = Duration.seconds(10)
  var retries = 4
  /// `nil`: 10 s until the provider has answered once in this run, then forever.
  var offlineTimeout: OfflineTimeout?

  // Cache
  /// The file of the cache; `nil` for the usual one.
  var cache: String?
  var noCache = false
  /// How long an answer is given again; `nil`: as long as the command has it.
  var cacheTTL: Duration?
  /// Whether an older one is better than none.
  var staleOK = false
  /// The server that machines share, in place of the cache and the ledger of this one.
  var shared: RedisPlace?
  var sharedPassword: Secret?

  // Messages
  var events: String?
  var quiet = false
  var progress = When.auto
  var color = When.auto

  // The network
  /// Where the path that is watched leads; `nil`: to the provider.
  var endpoint: Endpoint?
  /// `nil`: text on a terminal, else ndjson.
  var watchFormat: WatchFormat?
  var statusFormat = StatusFormat.text
  /// `nil`: text on a terminal, else ndjson.
  var tablesFormat: WatchFormat?
  /// `nil`: a table on a terminal, else ndjson.
  var quotaFormat: QuotaFormat?
  /// Whether `watch` ends with the state at the start.
  var once = false
  /// The time between looks at the network, if nothing announces a change.
  var interval = Duration.milliseconds(250)
  /// The time between regular tries of the endpoint; zero for none.
  var probe = Duration.seconds(30)
  /// A page that a login page would stand in for.
  var portalURL: String?
  /// How long a state must last before it is reported.
  var settle = Duration.zero
  /// The command of `--exec`.
  var exec: String?
  var webhook: String?
  var syslog = false
  /// Where metrics are served; `nil` for nowhere.
  var metrics: Endpoint?

  // The dashboard
  /// Where `serve` listens.
  var listen = Authority(host: "127.83.1.1", port: 8053)
  /// Whether people have accounts.
  var team = false
  /// The certificate that TLS is spoken with, and its key; `nil` for no TLS.
  var tlsCertificate: String?
  var tlsKey: String?
  /// Whether everybody may make one.
  var openRegistration = false
  /// The folder of the dashboard's state; `nil` for the usual one.
  var state: String?
  /// Where people find the dashboard; `nil` is where it listens.
  var publicURL: PublicURL?
  /// The proxies that say who asks.
  var proxies: [PeerNetwork] = []
  /// The style sheet of `--theme`.
  var theme: String?
  /// How long look-ups, scans and losses are kept.
  var keep = Duration.seconds(90 * 86_400)
  /// How old the answer of a watched address may be.
  var watchEvery = Duration.seconds(86_400)
  /// The longest upload, in bytes.
  var limitUpload = 1 << 30
  /// The most entries of a scan.
  var limitEntries = 10_000_000
  /// The most scans of a user.
  var limitScans = 100

  // Keys and endpoints
  /// The keys and tokens of providers, by their settings.
  var keys: [String: Secret] = [:]
  /// Base URLs that replace the providers' own, by their settings.
  var baseURLs: [String: String] = [:]
  var ipifyURL: String?
  /// A mirror of the lists that are published.
  var tablesURL: String?
  /// A mirror of the registries of addresses.
  var registryURL: String?
  /// A mirror of IANA's list of these.
  var directoryURL: String?

  /// The values in force when nothing is set.
  init() {}

  /// Whether the command line gives a setting.
  func isGiven(_ name: String) -> Bool { origins[name]?.last?.isOption ?? false }

  /// Whether anything is written to stdout.
  var writesToStandardOutput: Bool {
    output == nil || [rejects, missing, events, html].contains("-")
  }

  /// The columns that cost the provider extra and were asked for by name.
  var extraFields: Set<Field> { Set(fields?.named ?? []) }
}

/// How often an address that appears several times is answered.
enum Duplicates: String, CaseIterable, Sendable {
  /// Once, where it appears first.
  case first
  /// At every occurrence.
  case keep
}

/// How `annotate` inserts what is known.
enum AnnotateStyle: String, CaseIterable, Sendable {
  /// After each address, in brackets.
  case brackets
  /// As a last member of lines that are JSON objects.
  case json
  /// As new columns of tables.
  case columns
}

/// The form of the events of `watch`.
enum WatchFormat: String, CaseIterable, Sendable {
  case text, ndjson
}

/// The form of `quota list`.
enum QuotaFormat: String, CaseIterable, Sendable {
  case table, ndjson
}

/// The form of `status`.
enum StatusFormat: String, CaseIterable, Sendable {
  case text, json
}

/// Whether something for a person is shown.
enum When: String, CaseIterable, Sendable {
  case auto, always, never
}

/// A number of requests in a window of time.
struct Rate: Sendable, Equatable {
  let requests: Int
  let window: Duration
}

/// How long addresses are held back while the network is lost.
enum OfflineTimeout: Sendable, Equatable {
  case after(Duration)
  case forever
}

/// A key or token that no description, dump or error shows.
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The key itself, for the request alone.
  let value: String

  var description: String { "…redacted…" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
