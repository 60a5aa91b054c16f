import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  /// Every setting there is, in the order of help.
  package static let all: [Setting] =
    (input + output + providers + requests + cache + network + alerts + server + messages + rest)

  /// The first setting with this long name; see ``own(of:)``.
  static func named(_ name: some StringProtocol) -> Setting? { all.first { $0.name == name } }
}

private let everyCommand = CommandName.allCases
private let working = everyCommand.filter { !$0.isAboutItself }
private let asking: [CommandName] = [.scan, .lookup, .me, .annotate, .summary, .serve]
/// The commands that ask about many addresses.
private let askingMany: [CommandName] = [.scan, .lookup, .annotate, .upgrade, .summary, .serve]
private let reading: [CommandName] = [.scan, .check, .plan]
/// Those in which sources of columns are asked.
private let awaiting: [CommandName] = [.scan, .lookup, .annotate, .upgrade, .serve]
/// The commands that use the path to a provider, or watch it.
private let heading = asking + [.upgrade, .plan, .watch, .status]
private let watching: [CommandName] = [.watch, .status]
private let summing: [CommandName] = [.summary]
private let recording: [CommandName] = [.scan, .lookup, .me, .check, .cache]
/// The commands that choose the columns of records.
private let shaping = recording + [.upgrade]

private let input = [
  Setting(
    name: "log",
    group: .input,
    commands: reading,
    value: .flag(\.log),
    summary: "Find addresses anywhere in the text",
    details: "Also in brackets, quotes and URLs or with a port. By default a line holds one item."
  ),
  Setting(
    name: "log",
    group: .input,
    commands: summing,
    value: .flag(\.log),
    summary: "Read every FILE as a log, even if it holds records"
  ),
  Setting(
    name: "since",
    group: .input,
    commands: summing,
    value: .one(.bound, \.since),
    summary: "Count only lines with a time from this one on",
    details: "A date, a time as in RFC 3339, or how long ago, such as 2h or 7d."
  ),
  Setting(
    name: "until",
    group: .input,
    commands: summing,
    value: .one(.bound, \.until),
    summary: "Count only lines with a time before this one"
  ),
  Setting(
    name: "time-zone",
    group: .input,
    commands: summing,
    value: .one(.zoneName, \.timeZone),
    standard: "UTC",
    summary: "Take times without a zone to be in this one, and tell hours and days in it"
  ),
  Setting(
    name: "pcap",
    group: .input,
    commands: [.scan, .plan, .extract, .summary],
    value: .flag(\.pcap),
    summary: "Read every file as a capture of packets",
    details: "By default those that are one by their content (pcap, pcapng), also compressed."
  ),
  Setting(
    name: "duplicates",
    group: .input,
    commands: reading,
    value: .one(.choice("WHICH"), \.duplicates),
    standard: "first",
    summary: "Answer each address once (first), or at every occurrence (keep)"
  ),
  Setting(
    name: "max-expand",
    group: .input,
    commands: reading,
    value: .one(.count(1...Int.max), \.maxExpand),
    standard: "65536",
    summary: "Refuse a block or range of more than N addresses"
  ),
  Setting(
    name: "strict",
    group: .input,
    commands: askingMany.filter { $0 != .summary && $0 != .serve },
    value: .flag(\.strict),
    summary: "Exit with 1 if any entry was invalid"
  ),
  Setting(
    name: "unique",
    group: .input,
    commands: [.extract],
    value: .flag(\.unique),
    summary: "Print only the first occurrence of each address"
  ),
  Setting(
    name: "ipv4",
    short: "4",
    group: .input,
    commands: [.extract],
    value: .flag(\.ipv4),
    summary: "Print the IPv4 addresses only"
  ),
  Setting(
    name: "ipv6",
    short: "6",
    group: .input,
    commands: [.extract],
    value: .flag(\.ipv6),
    summary: "Print the IPv6 addresses only"
  ),
  Setting(
    name: "no-reserved",
    group: .input,
    commands: [.extract],
    value: .flag(\.noReserved),
    summary: "Leave out special-purpose addresses, such as private ones"
  ),
  range,
]

private let range = Setting(
  name: "range",
  group: .input,
  commands: [.scan, .check, .extract, .annotate],
  value: .one(.range, \.range),
  summary: "Read the lines that begin in these bytes of one regular file",
  details: """
    OFFSET:LENGTH, in bytes or with k, m or g; without a LENGTH to the end. scan and check take it \
    with --log.
    """
)

private let output = [
  Setting(
    name: "output",
    short: "o",
    group: .output,
    commands: shaping + [.extract, .summary],
    value: .one(.output, \.output),
    standard: "stdout",
    summary: "Write to FILE"
  ),
  Setting(
    name: "output",
    short: "o",
    group: .output,
    commands: [.annotate],
    value: .one(.output, \.output),
    standard: "stdout",
    summary: "Write to FILE, which changes only when all is done",
    details: """
      Until then what is done lies in FILE.partial, which an interruption leaves. The endings .gz \
      and .zst compress.
      """
  ),
  Setting(
    name: "style",
    group: .output,
    commands: [.annotate],
    value: .one(.choice("STYLE"), \.style),
    standard: Options().style.rawValue,
    summary: "Insert as \(Form<AnnotateStyle>.choice("STYLE").accepted)",
    details: """
      brackets: after each address; json: as the last member of each line that is a JSON object, \
      about strings that are as a whole an address; columns: as new columns of CSV or TSV with a header.
      """
  ),
  Setting(
    name: "key",
    group: .output,
    commands: [.annotate],
    value: .one(.key, \.key),
    standard: Options().key,
    summary: "json: give the member this name",
    details: "A line that has it already goes out as it came."
  ),
  Setting(
    name: "column",
    group: .output,
    commands: [.annotate],
    value: .many(.column, \.columns),
    summary: "columns: find the addresses in this column",
    details: "By default ip, else the only one with an address in the first row."
  ),
  Setting(
    name: "delimiter",
    group: .output,
    commands: [.annotate],
    value: .one(.delimiter, \.delimiter),
    summary: "columns: what stands between cells",
    details: "By default tab, comma or semicolon, whichever the header has most of."
  ),
  Setting(
    name: "count",
    group: .output,
    commands: [.extract],
    value: .flag(\.count),
    summary: "Print how many lines there would be, for each FILE"
  ),
  Setting(
    name: "with-filename",
    group: .output,
    commands: [.extract],
    value: .flag(\.withFilename),
    summary: "Begin each line with the name of its FILE and a colon",
    details: "By default only where --count has several."
  ),
  Setting(
    name: "resume",
    group: .output,
    commands: [.scan],
    value: .flag(\.resume),
    summary: "Go on with an output file that was interrupted",
    details: "With --output: no record is lost, doubled or changed."
  ),
  Setting(
    name: "format",
    group: .output,
    commands: recording,
    value: .one(.format, \.format),
    summary: "Write \(Form<Format>.format.accepted)",
    details: """
      By default as the ending of the output file says, else table on a terminal and ndjson in \
      a pipe. sqlite needs --output.
      """
  ),
  Setting(
    name: "format",
    group: .output,
    commands: summing,
    value: .one(.summaryFormat, \.summaryFormat),
    summary: "Write \(alternatives(SummaryFormat.allCases.map(\.rawValue)))",
    details: "By default as the ending of the output file says, else table."
  ),
  Setting(
    name: "top",
    group: .output,
    commands: summing,
    value: .one(.count(0...Int.max), \.top),
    standard: "10",
    summary: "Show the first N rows of each table, but all of hour and day",
    details: "0 is all."
  ),
  Setting(
    name: "tables",
    group: .output,
    commands: summing,
    value: .one(.tables, \.tables),
    standard: "all that have data",
    summary: "Show these tables",
    details: """
      \(alternatives(SummaryTable.Kind.allCases.map(\.rawValue))), with commas between them; or \
      none.
      """
  ),
  Setting(
    name: "html",
    group: .output,
    commands: summing,
    value: .one(.path, \.html),
    summary: "Write a page for a browser to FILE, too",
    details: """
      With a map, all countries, networks and cities, and the first 1,000 addresses. FILE ends in \
      .html; an earlier one is replaced only by a page of the whole inputs.
      """
  ),
  Setting(
    name: "title",
    group: .output,
    commands: summing,
    value: .one(.title, \.title),
    standard: "the names of the inputs",
    summary: "Call the page and the table so"
  ),
  Setting(
    name: "format",
    group: .output,
    commands: [.watch],
    value: .one(.choice("FORMAT"), \.watchFormat),
    summary: "Write text or ndjson",
    details: "By default text on a terminal and ndjson in a pipe."
  ),
  Setting(
    name: "format",
    group: .output,
    commands: [.status],
    value: .one(.choice("FORMAT"), \.statusFormat),
    standard: "text",
    summary: "Write text or json"
  ),
  Setting(
    name: "format",
    group: .output,
    commands: [.quota],
    value: .one(.choice("FORMAT"), \.quotaFormat),
    summary: "Write a table or ndjson",
    details: "By default a table on a terminal, else ndjson."
  ),
  Setting(
    name: "format",
    group: .output,
    commands: [.tables],
    value: .one(.choice("FORMAT"), \.tablesFormat),
    summary: "Write text or ndjson",
    details: "By default text on a terminal, else ndjson."
  ),
  Setting(
    name: "fields",
    group: .output,
    commands: shaping,
    value: .one(.fields, \.fields),
    summary: "Show these fields, in this order",
    details: "+NAME adds one to the usual ones; --fields\u{a0}help lists all."
  ),
  Setting(
    name: "fields",
    group: .output,
    commands: [.annotate],
    value: .one(.fields, \.fields),
    summary: "Insert these fields, in this order",
    details: "+NAME adds one to the usual ones; --fields\u{a0}help lists all."
  ),
  Setting(
    name: "with",
    group: .output,
    commands: [.scan, .lookup, .check, .plan, .annotate, .upgrade, .summary, .serve],
    value: .many(.source, \.with),
    summary: "Add the columns of a SOURCE beside the answers",
    details: """
      own=FILE is a table of networks, as CSV, TSV or a bare list: own_network is the longest prefix \
      that holds the address, and own_COLUMN its values. aws, gcp, google, cloudflare and tor are \
      lists that 'sonde tables update' fetches; azure=FILE is Azure's file of service tags. names \
      asks reverse DNS: ptr are the names, those first that lead back to the address. owner asks the \
      registries whose network it is, and whom to write to about abuse.
      """
  ),
  Setting(
    name: "owner-reuse",
    group: .output,
    commands: awaiting + [.plan],
    value: .one(.choice("WHICH"), \.ownerReuse),
    standard: "24",
    summary: "Take an owner for the other addresses of its network, too",
    details: """
      24: those that are also in the same /24, or of IPv6 in the same /48. range: all of them. none: \
      every address is asked about. What was not asked about says owner_inferred.
      """
  ),
  Setting(
    name: "resolver",
    group: .network,
    commands: awaiting + [.plan],
    value: .one(.resolver, \.resolver),
    standard: "those of /etc/resolv.conf",
    summary: "Ask this server for names",
    details: "One with a public address gets at most 500 questions a second."
  ),
  Setting(
    name: "private-names",
    group: .network,
    commands: awaiting + [.plan],
    value: .flag(\.privateNames),
    summary: "Ask for the names of private addresses, too"
  ),
  Setting(
    name: "where",
    group: .output,
    commands: [.scan, .lookup, .check, .plan, .summary],
    value: .one(.condition, \.condition),
    summary: "Leave out the entries of which EXPR is not so",
    details: """
      FIELD alone (it has a value), FIELD = VALUE, also !=, <, <=, > and >=, FIELD ~ "*PART*", \
      FIELD in (VALUE, VALUE), ip in (NETWORK) and ip in @FILE, joined by and, or, not and brackets. \
      What tables alone make false is never asked about.
      """,
    insteadOfTwice: "join both by 'and' in one"
  ),
  Setting(
    name: "wait",
    group: .output,
    commands: [.annotate],
    value: .one(.duration, \.wait),
    standard: "forever",
    summary: "Let no line wait longer for its answers: it goes out as it came",
    details: "For logs that grow. Counted from its reading. The exit status does not change for it."
  ),
  Setting(
    name: "only-matching",
    group: .output,
    commands: [.annotate],
    value: .flag(\.onlyMatching),
    summary: "Leave out the lines without an address"
  ),
  Setting(
    name: "spreadsheet",
    group: .output,
    commands: shaping + [.annotate, .summary],
    value: .flag(\.spreadsheet),
    summary: "Make CSV and TSV safe to open in a spreadsheet",
    details: "Text that could be taken for a formula gets a leading '."
  ),
  Setting(
    name: "unordered",
    group: .output,
    commands: [.scan],
    value: .flag(\.unordered),
    summary: "Write each record as soon as it is known",
    details: "By default records keep the order of the input."
  ),
  Setting(
    name: "rejects",
    group: .output,
    commands: [.scan, .check],
    value: .one(.path, \.rejects),
    summary: "Write the invalid records to FILE instead"
  ),
  Setting(
    name: "missing",
    group: .output,
    commands: [.scan],
    value: .one(.path, \.missing),
    summary: "List the addresses left without an answer in FILE",
    details: "One a line, ready to be scanned again."
  ),
]

private let providers = [
  Setting(
    name: "provider",
    group: .providers,
    commands: heading.filter { $0 != .upgrade },
    value: .one(.providers, \.providers),
    standard: Options().providers.map(\.name).joined(separator: ","),
    summary: "Ask these providers, in order of preference",
    details: """
      \(alternatives(names(of: Provider.all))), with commas between them. A later \
      one answers only what the earlier ones could not.
      """
  ),
  Setting(
    name: "provider",
    group: .providers,
    commands: [.upgrade],
    value: .one(.providers, \.providers),
    standard: Options().providers.map(\.name).joined(separator: ","),
    summary: "Ask the first of these providers",
    details: alternatives(names(of: Provider.all.filter { $0.service != nil }))
      + "; the others of a list are not asked. local, with --with, sends nothing: rows that have an "
      + "answer gain columns alone."
  ),
  Setting(
    name: "database",
    group: .providers,
    commands: asking + [.upgrade, .plan],
    value: .many(.path, \.databases),
    standard: "/var/lib/location/database.db, else the one of the libloc package",
    summary: "Use FILE for the provider local",
    details: """
      A libloc database or any MMDB; given several times, they are merged. The age of \
      one over 90 days old is told; 'location update' renews libloc's.
      """
  ),
]

/// The names of providers, with what they need.
private func names(of providers: [Provider]) -> [String] {
  providers.map { $0.name + ($0.needsKey ? " (needs a token)" : "") }
}

private let requests = [
  Setting(
    name: "concurrency",
    group: .requests,
    commands: askingMany,
    // Beyond a thousand connections the usual limit of open files is near.
    value: .one(.count(1...1000), \.concurrency),
    standard: "8",
    summary: "Keep at most N requests under way"
  ),
  Setting(
    name: "rate",
    group: .requests,
    commands: askingMany + [.plan],
    value: .one(.rate, \.rate),
    standard: "the quota that the provider publishes",
    summary: "Send at most so many requests, as 5/s or 45/min",
    details: """
      The limit holds in any such period, even if the provider's headers allow more; if they \
      allow less, they win.
      """
  ),
  Setting(
    name: "max-requests",
    group: .requests,
    commands: askingMany + [.plan],
    value: .one(.count(0...Int.max), \.maxRequests),
    summary: "Stop asking providers after N requests"
  ),
  Setting(
    name: "timeout",
    group: .requests,
    commands: asking + [.upgrade],
    value: .one(.positiveDuration, \.timeout),
    standard: "10s",
    summary: "Give up a request after this time",
    details: "Times are a number with ms, s, m, h or d; a bare number is seconds."
  ),
  Setting(
    name: "retries",
    group: .requests,
    commands: asking + [.upgrade],
    value: .one(.count(0...1000), \.retries),
    standard: "4",
    summary: "Try a failed request again up to N times"
  ),
  Setting(
    name: "offline-timeout",
    group: .requests,
    commands: asking + [.upgrade],
    value: .one(.offlineTimeout, \.offlineTimeout),
    standard: "10s until the provider has answered once, then forever",
    summary: "Wait this long, or forever, for a lost network to return"
  ),
]

private let cache = [
  Setting(
    name: "cache",
    group: .cache,
    commands: asking + [.upgrade, .plan, .cache],
    value: .one(.path, \.cache),
    standard: "$XDG_CACHE_HOME/sonde/cache.db",
    summary: "Keep answers in FILE",
    details: "An SQLite database that any number of runs may share."
  ),
  Setting(
    name: "no-cache",
    group: .cache,
    commands: asking + [.upgrade, .plan],
    value: .flag(\.noCache),
    summary: "Ask for every address, whatever was answered before",
    details: "Nor are the answers kept. The quotas are shared with other runs all the same."
  ),
  Setting(
    name: "cache-ttl",
    group: .cache,
    commands: asking + [.upgrade, .plan],
    value: .one(.duration, \.cacheTTL),
    standard: "24h; for lookup, me and the look-ups of serve 5m",
    summary: "Give an answer again until it is this old",
    details: "Answers older than 90 days are not kept."
  ),
  Setting(
    name: "stale-ok",
    group: .cache,
    commands: asking + [.upgrade],
    value: .flag(\.staleOK),
    summary: "Give an older one, too, while the network is lost past its timeout"
  ),
  Setting(
    name: "shared",
    group: .cache,
    commands: asking + [.upgrade, .plan, .status, .cache, .quota],
    value: .one(.shared, \.shared),
    summary: "Share quotas and answers with other machines, in this Redis",
    details: """
      redis://[USER@]HOST[:PORT][/DB] or unix:///PATH, in place of the cache and the quotas of this \
      machine. While it is gone, addresses wait as while the network is lost.
      """,
    mayHoldSecret: true
  ),
]

private let sharedPassword = Setting(
  name: "shared-password",
  group: .environment,
  commands: asking + [.upgrade, .plan, .status, .cache, .quota],
  value: .one(.secret, \.sharedPassword),
  summary: "Password of the Redis that --shared names",
  places: [.environment, .file],
  isSecret: true
)

private let network = [
  Setting(
    name: "endpoint",
    group: .network,
    commands: watching,
    value: .one(.endpoint, \.endpoint),
    standard: "the provider's",
    summary: "Watch the path to this host",
    details: "A name or address, with a TCP port or the one of HTTPS."
  ),
  Setting(
    name: "interval",
    group: .network,
    commands: [.watch],
    value: .one(.positiveDuration, \.interval),
    standard: "250ms",
    summary: "Look at the network this often, besides when the kernel tells of a change",
    details: "Times are a number with ms, s, m, h or d; a bare number is seconds."
  ),
  Setting(
    name: "probe",
    group: .network,
    commands: [.watch],
    value: .one(.duration, \.probe),
    standard: "30s",
    summary: "Connect to the endpoint this often, besides at the start and after each change",
    details: "0 is never."
  ),
  Setting(
    name: "portal-url",
    group: .network,
    commands: watching,
    value: .one(.url, \.portalURL),
    summary: "Ask this page at the same pace, to tell a login page",
    details: "It must answer 204, or else anything but HTML or a redirect."
  ),
  Setting(
    name: "settle",
    group: .network,
    commands: [.watch],
    value: .one(.duration, \.settle),
    standard: "0",
    summary: "Report a state only once it has lasted this long"
  ),
  Setting(
    name: "once",
    group: .network,
    commands: [.watch],
    value: .flag(\.once),
    summary: "Report the state at the start, and end with 0 if online, 3 if offline"
  ),
]

private let alerts = [
  Setting(
    name: "exec",
    group: .alerts,
    commands: [.watch],
    value: .one(.command, \.exec),
    summary: "Run COMMAND by /bin/sh at each change of the state",
    details: """
      With SONDE_STATE, SONDE_CAUSE, SONDE_INTERFACE, SONDE_AT and SONDE_DOWN_MS; one at a time, \
      in order, ended after 30 s with what it has left in the background.
      """
  ),
  Setting(
    name: "webhook",
    group: .alerts,
    commands: [.watch, .serve],
    value: .one(.url, \.webhook),
    summary: "POST each change of the state, of serve's watchlist, to URL, as JSON",
    details: """
      Held back while offline, kept in $XDG_STATE_HOME/sonde, and delivered in order after. A URL \
      that holds a key is better given as SONDE_WEBHOOK.
      """,
    isSecret: true
  ),
  Setting(
    name: "syslog",
    group: .alerts,
    commands: [.watch],
    value: .flag(\.syslog),
    summary: "Log each change of the state to the system log"
  ),
  Setting(
    name: "metrics",
    group: .alerts,
    commands: [.watch],
    value: .one(.listener, \.metrics),
    summary: "Serve metrics for Prometheus at http://HOST:PORT/metrics"
  ),
]

private let serving: [CommandName] = [.serve]

private let server: [Setting] = [
  Setting(
    name: "listen",
    group: .server,
    commands: serving,
    value: .one(.listener, \.listen),
    standard: "\(Options().listen)",
    summary: "Answer at this address and port",
    details: """
      An address of its own, since browsers send cookies to every port of an address. One that \
      others can reach needs --team, and TLS or a proxy before it. Port 0 is any that is free.
      """
  ),
  Setting(
    name: "team",
    group: .server,
    commands: serving,
    value: .flag(\.team),
    summary: "Have people log in, each to scans and look-ups of their own",
    details: "The first link registers the admin, who invites the others."
  ),
  Setting(
    name: "open-registration",
    group: .server,
    commands: serving,
    value: .flag(\.openRegistration),
    summary: "Let everybody register, without an invitation"
  ),
  Setting(
    name: "state",
    group: .server,
    commands: serving,
    value: .one(.folder, \.state),
    standard: "$XDG_STATE_HOME/sonde/serve",
    summary: "Keep scans, look-ups and sessions in DIR",
    // SONDE_STATE tells the commands of watch how the network is.
    places: [.commandLine, .file]
  ),
  Setting(
    name: "public-url",
    group: .server,
    commands: serving,
    value: .one(.publicURL, \.publicURL),
    summary: "Where people find it, when a proxy stands before it",
    details: "It tells the scheme, the host and the path that all paths begin with."
  ),
  Setting(
    name: "behind-proxy",
    group: .server,
    commands: serving,
    value: .one(.networks, \.proxies),
    summary: "Believe the X-Forwarded-For of these proxies"
  ),
  Setting(
    name: "tls-cert",
    group: .server,
    commands: serving,
    value: .one(.path, \.tlsCertificate),
    summary: "Speak TLS with the certificate of FILE, as PEM",
    details: "With those that lead to its root. SIGHUP has it and its key read again."
  ),
  Setting(
    name: "tls-key",
    group: .server,
    commands: serving,
    value: .one(.path, \.tlsKey),
    summary: "The key of --tls-cert, as PEM"
  ),
  Setting(
    name: "theme",
    group: .server,
    commands: serving,
    value: .one(.path, \.theme),
    summary: "Take the page's colors, fonts and spacing from FILE",
    details: "A style sheet with the custom properties that the page's own theme.css sets."
  ),
  Setting(
    name: "keep",
    group: .server,
    commands: serving,
    value: .one(.positiveDuration, \.keep),
    standard: "90d",
    summary: "Forget look-ups, scans and losses that are older"
  ),
  Setting(
    name: "watch-every",
    group: .server,
    commands: serving,
    value: .one(.positiveDuration, \.watchEvery),
    standard: "1d",
    summary: "Ask again for what is on a watchlist when its answer is older"
  ),
  Setting(
    name: "limit-upload",
    group: .server,
    commands: serving,
    value: .one(.size, \.limitUpload),
    standard: "1GiB",
    summary: "Refuse a longer upload"
  ),
  Setting(
    name: "limit-entries",
    group: .server,
    commands: serving,
    value: .one(.count(1...Int.max), \.limitEntries),
    standard: "\(Options().limitEntries)",
    summary: "End a scan of more than N entries as failed"
  ),
  Setting(
    name: "limit-scans",
    group: .server,
    commands: serving,
    value: .one(.count(1...Int.max), \.limitScans),
    standard: "\(Options().limitScans)",
    summary: "Keep at most N scans"
  ),
]

private let messages = [
  Setting(
    name: "events",
    group: .messages,
    commands: asking + [.check, .upgrade],
    value: .one(.path, \.events),
    summary: "Write everything that happens to FILE, as NDJSON"
  ),
  Setting(
    name: "quiet",
    short: "q",
    group: .messages,
    commands: working,
    value: .flag(\.quiet),
    summary: "Say nothing but errors on stderr"
  ),
  Setting(
    name: "progress",
    group: .messages,
    commands: working.filter { !watching.contains($0) },
    value: .one(.choice("WHEN"), \.progress),
    standard: "auto",
    summary: "Show progress on stderr: auto, always or never",
    details: "With auto, on a terminal that is not dumb, and not in the background."
  ),
  Setting(
    name: "color",
    group: .messages,
    commands: working,
    value: .one(.choice("WHEN"), \.color),
    standard: "auto",
    summary: "Use colors: auto, always or never",
    details: "With auto, on a terminal, unless NO_COLOR is set or TERM is dumb."
  ),
]

private let rest =
  [
    Setting(
      name: "man",
      group: .general,
      commands: [.help],
      value: .flag(\.man),
      summary: "Write the page in the language of man, man(7)",
      places: .commandLine
    ),
    Setting(
      name: "help",
      short: "h",
      group: .general,
      commands: everyCommand,
      value: .answered,
      summary: "Show this help",
      places: .commandLine,
      answer: .help
    ),
    Setting(
      name: "version",
      short: "V",
      group: .general,
      commands: everyCommand,
      value: .answered,
      summary: "Show the version",
      places: .commandLine,
      answer: .version
    ),
  ] + keys + [sharedPassword] + baseURLs + [endpoint("ipify-url", \.ipifyURL)] + mirrors

/// The places that are asked instead of many, whose hosts begin the paths there.
private let mirrors = [
  mirror("tables-url", of: "the lists", for: [.tables], \.tablesURL),
  mirror("rdap-url", of: "the registries of addresses", for: awaiting + [.plan], \.registryURL),
  mirror("rdap-bootstrap-url", of: "IANA's list of these", for: awaiting + [.plan], \.directoryURL),
]

private func mirror(
  _ name: String,
  of what: String,
  for commands: [CommandName],
  _ path: any WritableKeyPath<Options, String?> & Sendable
) -> Setting {
  Setting(
    name: name,
    group: .environment,
    commands: commands,
    value: .one(.url, path),
    summary: "Base URL of a mirror of \(what), whose hosts begin the paths",
    places: .environment,
    isSecret: true
  )
}

/// The keys and tokens of the providers, each once.
private let keys = Provider.all.compactMap(\.service?.key).withoutRepetition.map { key in
  Setting(
    name: key.setting,
    group: .environment,
    commands: heading,
    value: .one(.secret, \.keys[key.setting]),
    summary: key.summary,
    places: [.environment, .file],
    isSecret: true
  )
}

/// The places where the providers are asked, each once.
private let baseURLs = Provider.all.compactMap(\.service?.url).withoutRepetition.map {
  endpoint($0, \.baseURLs[$0])
}

/// A base URL; it may hold a password, so that messages do not repeat it.
private func endpoint(
  _ name: String,
  _ path: any WritableKeyPath<Options, String?> & Sendable
) -> Setting {
  Setting(
    name: name,
    group: .environment,
    commands: heading,
    value: .one(.url, path),
    summary: "Base URL instead of \(name.dropLast("-url".count))'s own",
    places: .environment,
    isSecret: true
  )
}

extension Form where Value == FieldSelection {
  fileprivate static let fields = Form(
    placeholder: "LIST",
    accepted: "field names with commas between them",
    completion: .list(Field.allCases.map(\.name))
  ) { text throws(ValueProblem) in
    do {
      return try FieldSelection(text) { name in AddedSource.all.contains { $0.mayAdd(name) } }
    } catch {
      throw .because("\(error)")
    }
  }
}

extension Array where Element: Equatable {
  /// The elements, each at its first place.
  fileprivate var withoutRepetition: [Element] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
