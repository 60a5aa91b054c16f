package import SondeBlock
package import SondeCatalog
package import SondeNames
package import SondeProviders
package import SondeReachability
package import SondeRecords
package import SondeRedis
package import SondeSources
package import SondeSummary
package import SondeWeb

/// The values of all settings for a command.
package struct Options: Sendable, Equatable {
  /// Where each setting was given, in order, by its name.
  package var origins: [String: [Origin]] = [:]

  /// The machine's configuration file, with the reason, if this user neither can nor must read it.
  package var unreadFile: String?

  /// Whether `help` writes man(7).
  package var man = false

  // Input
  /// Whether addresses are found anywhere in the text, instead of one item per line.
  package var log = false
  /// Whether every file is a packet capture.
  package var pcap = false
  package var duplicates = Duplicates.first
  /// The most addresses in a block or range.
  package var maxExpand = 65_536
  /// Whether list items are divided by the networks of local databases.
  package var byNetwork = false
  /// Whether an invalid entry makes the exit status 1.
  package var strict = false
  /// Whether `extract` prints only the first occurrence of each address.
  package var unique = false
  /// Whether `extract` prints only the number of addresses.
  package var count = false
  /// Whether `extract` prints the file of each address.
  package var withFilename = false
  /// Whether `extract` prints only addresses of one family; both or neither means all.
  package var ipv4 = false
  package var ipv6 = false
  /// The byte range in which the lines to read begin; `nil` for all lines.
  package var range: Range<Int>?
  /// Which addresses of a log's line count.
  package var pick = Pick.all
  /// Whether defanged marks, such as `[.]`, are the marks that they stand for.
  package var refang = false
  /// Whether `extract` excludes special-purpose addresses.
  package var noReserved = false

  // Output
  /// `nil` for stdout.
  package var output: String?
  /// `nil`: by the output, see ``OutputEnding``.
  package var format: Format?
  /// The columns of the records; `nil` for the default ones.
  package var fields: FieldSelection?
  /// Sources of additional columns besides the provider, in order.
  package var with: [NamedSource] = []
  /// The DNS server; `nil` for the system's resolver.
  package var resolver: ResolverPlace?
  /// Whether the names of private addresses are looked up, too.
  package var privateNames = false
  /// The condition that written records meet, as given; `nil` for all.
  package var condition: String?
  /// The addresses that share a registry's answer for one of them.
  package var ownerReuse = OwnerReuse.block
  package var spreadsheet = false
  /// The names of the fields that `diff` compares; empty for the default ones.
  package var comparedFields: [String] = []
  /// The table of true places for `compare`.
  package var truth: NamedSource?
  /// Whether `diff` and `compare` write counts instead of records.
  package var summary = false
  package var unordered = false
  package var rejects: String?
  package var missing: String?
  package var resume = false
  package var style = AnnotateStyle.brackets
  /// The member that `annotate` adds to lines of JSON.
  package var key = "sonde"
  /// Whether `annotate` also finds addresses within strings of JSON.
  package var inside = false
  /// The columns in which `annotate` finds addresses; empty to detect them.
  package var columns: [String] = []
  /// The separator of cells; `nil` to detect it from the header.
  package var delimiter: UInt8?
  /// The longest that a line of `annotate` waits for its answers; `nil` for no limit.
  package var wait: Duration?
  /// Whether `annotate` drops lines without an address.
  package var onlyMatching = false

  // Privacy
  /// How addresses are replaced in everything that is written; `nil` if they stay.
  package var anonymization: Anonymization?
  /// The file of the key of pseudonyms.
  package var anonymizeKey: String?
  /// The fewest distinct addresses whose city is shown.
  package var minGroup = 1

  // Summary
  /// `nil`: by the output's name, else a table.
  package var summaryFormat: SummaryFormat?
  /// The most rows of a table; 0 for all.
  package var top = 10
  /// `nil` for all tables that have data.
  package var tables: TableList?
  /// The names of the fields whose combinations are counted, a list for each table.
  package var by: [[String]] = []
  /// Only lines between these times are used.
  package var since: TimeBound?
  package var until: TimeBound?
  /// The zone of the timeline and of times without one.
  package var timeZone = "UTC"
  /// The file of the HTML page, if any.
  package var html: String?
  package var title: String?

  // Rules
  /// The conditions of bad hits, and of good ones; `nil` for all hits of addresses without bad ones.
  package var bad: String?
  package var good: String?
  package var blockLimits = BlockLimits()
  /// Networks that no rule touches: files of them, or names of published lists.
  package var never: [String] = []
  /// `nil`: by the output's name, else a table on a terminal, else plain.
  package var blockFormat: BlockFormat?
  /// The name of sets, chains and matchers.
  package var name = RuleStyle().name
  /// When rules end; `nil` for never.
  package var expire: Duration?

  /// When `guard` raises alerts.
  package var guarding = GuardOptions()
  /// The pattern whose groups are fields of a line's hits; `nil` for none.
  package var capture: String?

  // Providers
  /// In order of preference; never empty, without duplicates.
  package var providers: [Provider] = [.ipAPI, .local]
  /// The local databases, or directories of them; empty for the installed one.
  package var databases: [String] = []
  /// The time by which local databases were built; `nil` for any.
  package var asOf: AnswerTime?

  // Requests
  package var concurrency = 8
  /// `nil`: the provider's published quota.
  package var rate: Rate?
  package var maxRequests: Int?
  package var timeout = Duration.seconds(10)
  package var retries = 4
  /// `nil`: 10 s until the provider has answered once in this run, then no limit.
  package var offlineTimeout: OfflineTimeout?

  // Cache
  /// `nil` for the default file.
  package var cache: String?
  package var noCache = false
  /// How long an answer is reused; `nil` for the command's default.
  package var cacheTTL: Duration?
  /// How long answers are kept; `nil` for as long as they ever are.
  package var cacheKeep: Duration?
  /// The age from which `cache clear` removes answers; `nil` for all.
  package var olderThan: Duration?
  /// Whether an expired answer is used if there is no other.
  package var staleOK = false
  /// The server that machines share; it replaces the local cache and ledger.
  package var shared: RedisPlace?
  package var sharedPassword: RedactedText?
  package var sharedSentinelPassword: RedactedText?

  // Messages
  package var events: String?
  package var quiet = false
  package var progress = When.auto
  package var color = When.auto

  // The network
  /// The endpoints whose paths are watched; empty: the provider's.
  package var endpoints: [Endpoint] = []
  /// The number of endpoints that must be reachable.
  package var quorum = 1
  /// From when on an open path is degraded; `nil`: never.
  package var degraded: DegradedLimits?
  /// The endpoint, as in events, whose outages are shown; `nil` for all.
  package var watchedEndpoint: String?
  /// `nil`: text on a terminal, else ndjson.
  package var watchFormat: WatchFormat?
  package var statusFormat = StatusFormat.text
  package var tablesFormat: WatchFormat?
  /// `nil`: a table on a terminal, else ndjson.
  package var quotaFormat: QuotaFormat?
  /// Whether `watch` exits after reporting the first state.
  package var once = false
  /// The time between checks of the network if no change is announced.
  package var interval = Duration.milliseconds(250)
  /// The time between regular probes of the endpoint; zero for none, `nil` for the default.
  package var probe: Duration?
  /// A page in whose place a captive portal shows its login page.
  package var portalURL: String?
  /// How long a state must last before it is reported.
  package var settle = Duration.zero
  package var exec: String?
  package var webhooks: [WebhookReceiver] = []
  package var syslog = false
  /// The name of this machine in alerts; `nil`: the machine's.
  package var hostName: String?
  /// Whether to try the ways of alerts, and nothing else.
  package var testAlert = false
  /// A URL that is requested regularly while the network is online.
  package var heartbeat: String?
  package var heartbeatEvery = Duration.seconds(60)
  /// The listener for metrics, if any.
  package var metrics: Endpoint?

  // The dashboard
  /// The logs to follow; `-` is standard input.
  package var follow: [String] = []
  /// The address that `serve` listens on.
  package var listen = Authority(host: "127.83.1.1", port: 8053)
  /// Whether people have accounts.
  package var team = false
  /// The TLS certificate and its key; `nil` for no TLS.
  package var tlsCertificate: String?
  package var tlsKey: String?
  /// Whether everyone may create an account.
  package var openRegistration = false
  /// The directory of the dashboard's state; `nil` for the default one.
  package var state: String?
  /// The URL at which people reach the dashboard; `nil` if that is the listener.
  package var publicURL: PublicURL?
  /// The proxies that are trusted to name the client.
  package var proxies: [PeerNetwork] = []
  package var theme: String?
  /// How long look-ups and scans are kept.
  package var keep = Duration.seconds(90 * 86_400)
  /// The maximum age of a watched address's answer.
  package var watchEvery = Duration.seconds(86_400)
  /// In bytes.
  package var limitUpload = 1 << 30
  package var limitEntries = 10_000_000
  package var limitScans = 100
  /// In bytes.
  package var limitDisk = 10 << 30
  /// The look-ups of a user that ask a provider.
  package var limitLookups: Rate? = Rate(requests: 60, window: .seconds(60))

  // Keys and endpoints
  /// The keys and tokens of providers, by the names of their settings.
  package var keys: [String: RedactedText] = [:]
  /// Base URLs that replace the providers' own, by the names of their settings.
  package var baseURLs: [String: String] = [:]
  package var ipifyURL: String?
  /// A mirror of the web services of sources.
  package var servicesURL: String?
  /// A mirror of the published lists.
  package var tablesURL: String?
  /// A mirror of the address registries.
  package var registryURL: String?
  /// A mirror of IANA's list of registries.
  package var directoryURL: String?

  package init() {}

  /// Whether the command line gives a setting.
  package func isGiven(_ name: String) -> Bool { origins[name]?.last?.isOption ?? false }

  package var writesToStandardOutput: Bool {
    output == nil || [rejects, missing, events, html].contains("-")
  }

  /// The columns requested by name, for which the provider may charge extra.
  package var extraFields: Set<Field> { Set(fields?.named ?? []) }

  /// Whether the command may send anything to other machines: addresses, names or network probes.
  func maySend(_ command: CommandName, _ operands: [String]) -> Bool {
    switch command {
    case .me, .status, .watch: true
    case .scan, .lookup, .annotate, .upgrade, .compare, .summary, .block, .guard: asksOthers
    case .serve: operands.isEmpty && (asksOthers || !webhooks.isEmpty)
    case .tables: operands.first.flatMap(TablesAction.init(rawValue:))?.fetches ?? false
    default: shared != nil
    }
  }

  /// Whether any other machine may be asked about addresses.
  private var asksOthers: Bool {
    providers != [.local] || shared != nil || with.contains(where: \.source.isAsked)
  }
}
