package import SondeNames
package import SondeProviders
package import SondeReachability
package import SondeRecords
package import SondeRedis
package import SondeSources
package import SondeSummary
package import SondeWeb

/// The value of every setting, as the command takes it.
package struct Options: Sendable, Equatable {
  /// Where the values of each setting were given, in their order, by its name.
  package var origins: [String: [Origin]] = [:]

  /// The machine's file of settings, with the reason, where this user cannot read it and need not.
  package var unreadFile: String?

  /// Whether `help` writes man(7).
  package var man = false

  // Input
  /// Whether addresses are searched for anywhere in the text, instead of one item per line.
  package var log = false
  /// Whether every file is a capture of packets.
  package var pcap = false
  package var duplicates = Duplicates.first
  /// The most addresses that a block or range may hold.
  package var maxExpand = 65_536
  /// Whether an invalid entry makes the exit status 1.
  package var strict = false
  /// Whether `extract` prints only the first occurrence of each address.
  package var unique = false
  /// Whether `extract` says how many addresses there are instead of which.
  package var count = false
  /// Whether `extract` says which file each address is from.
  package var withFilename = false
  /// Whether `extract` keeps to the addresses of one family; both, or neither, are all.
  package var ipv4 = false
  package var ipv6 = false
  /// The bytes of an input of which the lines that begin there are read; `nil` for all.
  package var range: Range<Int>?
  /// Whether `extract` leaves special-purpose addresses out.
  package var noReserved = false

  // Output
  /// The file to write; `nil` for stdout.
  package var output: String?
  /// `nil`: by the output, see ``OutputEnding``.
  package var format: Format?
  /// The columns of the records; `nil` for the usual ones.
  package var fields: FieldSelection?
  /// Who adds columns beside whatever provider answered, in their order.
  package var with: [NamedSource] = []
  /// Who is asked for names; `nil` for the system's resolver.
  package var resolver: ResolverPlace?
  /// Whether names of private addresses are asked for, too.
  package var privateNames = false
  /// What records must be like to be written, as it was given; `nil` for all.
  package var condition: String?
  /// For which addresses besides its own what a registry says of one holds.
  package var ownerReuse = OwnerReuse.block
  package var spreadsheet = false
  package var unordered = false
  package var rejects: String?
  package var missing: String?
  package var resume = false
  /// How `annotate` inserts what is known.
  package var style = AnnotateStyle.brackets
  /// The name of the member that `annotate` adds to lines of JSON.
  package var key = "sonde"
  /// The columns in which `annotate` finds addresses; empty to detect them.
  package var columns: [String] = []
  /// The separator of cells; `nil` to detect it from the header.
  package var delimiter: UInt8?
  /// The longest that a line of `annotate` waits for its answers; `nil` is for ever.
  package var wait: Duration?
  /// Whether `annotate` drops lines without an address.
  package var onlyMatching = false

  // Summary
  /// `nil`: by the output's name, else a table.
  package var summaryFormat: SummaryFormat?
  /// The most rows of a table; 0 is all.
  package var top = 10
  /// The tables to write; `nil` for all that have data.
  package var tables: TableList?
  /// Only lines between these times are used.
  package var since: TimeBound?
  package var until: TimeBound?
  /// The zone of times without one, and of the timeline.
  package var timeZone = "UTC"
  /// The file of the page; `nil` for none.
  package var html: String?
  package var title: String?

  // Providers
  /// In order of preference; never empty, none twice.
  package var providers: [Provider] = [.ipAPI, .local]
  /// The local databases; empty for the installed one.
  package var databases: [String] = []

  // Requests
  package var concurrency = 8
  /// `nil`: the provider's own published quota.
  package var rate: Rate?
  package var maxRequests: Int?
  package var timeout = Duration.seconds(10)
  package var retries = 4
  /// `nil`: 10 s until the provider has answered once in this run, then forever.
  package var offlineTimeout: OfflineTimeout?

  // Cache
  /// The file of the cache; `nil` for the usual one.
  package var cache: String?
  package var noCache = false
  /// How long an answer is given again; `nil`: as long as the command has it.
  package var cacheTTL: Duration?
  /// Whether an older one is better than none.
  package var staleOK = false
  /// The server that machines share, in place of the cache and the ledger of this one.
  package var shared: RedisPlace?
  package var sharedPassword: RedactedText?

  // Messages
  package var events: String?
  package var quiet = false
  package var progress = When.auto
  package var color = When.auto

  // The network
  /// Where the path that is watched leads; `nil`: to the provider.
  package var endpoint: Endpoint?
  /// `nil`: text on a terminal, else ndjson.
  package var watchFormat: WatchFormat?
  package var statusFormat = StatusFormat.text
  /// `nil`: text on a terminal, else ndjson.
  package var tablesFormat: WatchFormat?
  /// `nil`: a table on a terminal, else ndjson.
  package var quotaFormat: QuotaFormat?
  /// Whether `watch` ends with the state at the start.
  package var once = false
  /// The time between looks at the network, if nothing announces a change.
  package var interval = Duration.milliseconds(250)
  /// The time between regular tries of the endpoint; zero for none.
  package var probe = Duration.seconds(30)
  /// A page that a login page would stand in for.
  package var portalURL: String?
  /// How long a state must last before it is reported.
  package var settle = Duration.zero
  /// The command of `--exec`.
  package var exec: String?
  package var webhook: String?
  package var syslog = false
  /// Where metrics are served; `nil` for nowhere.
  package var metrics: Endpoint?

  // The dashboard
  /// Where `serve` listens.
  package var listen = Authority(host: "127.83.1.1", port: 8053)
  /// Whether people have accounts.
  package var team = false
  /// The certificate that TLS is spoken with, and its key; `nil` for no TLS.
  package var tlsCertificate: String?
  package var tlsKey: String?
  /// Whether everybody may make one.
  package var openRegistration = false
  /// The folder of the dashboard's state; `nil` for the usual one.
  package var state: String?
  /// Where people find the dashboard; `nil` is where it listens.
  package var publicURL: PublicURL?
  /// The proxies that say who asks.
  package var proxies: [PeerNetwork] = []
  /// The style sheet of `--theme`.
  package var theme: String?
  /// How long look-ups, scans and losses are kept.
  package var keep = Duration.seconds(90 * 86_400)
  /// How old the answer of a watched address may be.
  package var watchEvery = Duration.seconds(86_400)
  /// The longest upload, in bytes.
  package var limitUpload = 1 << 30
  /// The most entries of a scan.
  package var limitEntries = 10_000_000
  /// The most scans of a user.
  package var limitScans = 100

  // Keys and endpoints
  /// The keys and tokens of providers, by their settings.
  package var keys: [String: RedactedText] = [:]
  /// Base URLs that replace the providers' own, by their settings.
  package var baseURLs: [String: String] = [:]
  package var ipifyURL: String?
  /// A mirror of the lists that are published.
  package var tablesURL: String?
  /// A mirror of the registries of addresses.
  package var registryURL: String?
  /// A mirror of IANA's list of these.
  package var directoryURL: String?

  /// The values in force when nothing is set.
  package init() {}

  /// Whether the command line gives a setting.
  package func isGiven(_ name: String) -> Bool { origins[name]?.last?.isOption ?? false }

  /// Whether anything is written to stdout.
  package var writesToStandardOutput: Bool {
    output == nil || [rejects, missing, events, html].contains("-")
  }

  /// The columns that cost the provider extra and were asked for by name.
  package var extraFields: Set<Field> { Set(fields?.named ?? []) }
}
