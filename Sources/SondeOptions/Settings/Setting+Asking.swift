import SondeProviders
import SondeRecords
import SondeRedis
import SondeSummary

extension Setting {
  static let providers: [Setting] = [
    Setting(
      name: "provider",
      commands: .heading.filter { ![.upgrade, .compare].contains($0) },
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
      commands: [.upgrade],
      value: .one(.providers, \.providers),
      standard: Options().providers.map(\.name).joined(separator: ","),
      summary: "Ask the first of these providers",
      details: alternatives(names(of: Provider.all.filter { $0.service != nil }))
        + "; the others of a list are not asked. local, with --with, sends nothing: rows that have an "
        + "answer gain columns alone."
    ),
    Setting(
      name: "provider",
      commands: [.compare],
      value: .one(.providers, \.providers),
      standard: Options().providers.map(\.name).joined(separator: ","),
      summary: "Compare these providers",
      details: """
        \(alternatives(names(of: Provider.all))), with commas between them. local is one source for \
        each --database.
        """
    ),
    Setting(
      name: "as-of",
      commands: .dating,
      value: .one(.asOf, \.asOf),
      summary: "Answer as the databases of --database were at this time",
      details: """
        A time as in RFC 3339, or a date, which means its end in UTC: of each type of database, the \
        newest that was built by then. With line, for logs, the time of each line, or else of the line \
        before. Only local answers.
        """
    ),
    Setting(
      name: "database",
      commands: .asking + [.upgrade, .plan],
      value: .many(.path, \.databases),
      standard: "those that 'sonde tables update' fetched, and libloc's",
      summary: "Use FILE, or the databases in a directory, for the provider local",
      details: """
        A libloc database or any MMDB; several are merged. Of a directory, the newest of each type. A \
        warning names the age of one older than 90 days; 'location update' renews libloc's.
        """
    ),
  ]

  static let requests: [Setting] = [
    Setting(
      name: "concurrency",
      commands: .pacing,
      // More connections would come near the usual limit of open files.
      value: .one(.count(1...1000), \.concurrency),
      standard: "8",
      summary: "Keep at most N requests under way"
    ),
    Setting(
      name: "rate",
      commands: .pacing + [.plan],
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
      commands: .pacing + [.plan],
      value: .one(.count(0...Int.max), \.maxRequests),
      summary: "Stop asking providers after N requests"
    ),
    Setting(
      name: "timeout",
      commands: .asking + [.upgrade],
      value: .one(.positiveDuration, \.timeout),
      standard: "10s",
      summary: "Give up a request after this time",
      details: "Times are a number with ms, s, m, h or d; a bare number is seconds."
    ),
    Setting(
      name: "retries",
      commands: .asking + [.upgrade],
      value: .one(.count(0...1000), \.retries),
      standard: "4",
      summary: "Try a failed request again up to N times"
    ),
    Setting(
      name: "offline-timeout",
      commands: .asking + [.upgrade],
      value: .one(.offlineTimeout, \.offlineTimeout),
      standard: "10s until the provider has answered once, then forever",
      summary: "Wait this long, or forever, for a lost network to return"
    ),
  ]

  static let cache: [Setting] = [
    Setting(
      name: "cache",
      commands: .asking + [.upgrade, .plan, .cache],
      value: .one(.path, \.cache),
      standard: "$XDG_CACHE_HOME/sonde/cache.db",
      summary: "Cache answers in FILE",
      details: "An SQLite database that any number of runs may share."
    ),
    Setting(
      name: "no-cache",
      commands: .asking + [.upgrade, .plan],
      value: .flag(\.noCache),
      summary: "Request every address, ignoring cached answers",
      details: "New answers are not cached either. Quotas are still shared with other runs."
    ),
    Setting(
      name: "cache-ttl",
      commands: .asking + [.upgrade, .plan],
      value: .one(.duration, \.cacheTTL),
      standard: "24h; for lookup, me and the look-ups of serve 5m",
      summary: "Reuse cached answers up to this age",
      details: "Answers older than --cache-keep are deleted."
    ),
    Setting(
      name: "cache-keep",
      commands: .asking + [.upgrade],
      value: .one(.keptTime, \.cacheKeep),
      standard: "90d",
      summary: "Delete cached answers that are older, and overwrite them",
      details: "At most 90d. With 0 this run caches no answers of its own, and deletes none."
    ),
    Setting(
      name: "older-than",
      commands: [.cache],
      value: .one(.duration, \.olderThan),
      summary: "clear: delete only answers fetched longer ago, and overwrite them"
    ),
    Setting(
      name: "stale-ok",
      commands: .asking + [.upgrade],
      value: .flag(\.staleOK),
      summary: "Use older answers, too, while the network is lost past its timeout"
    ),
    Setting(
      name: "shared",
      commands: .asking + [.upgrade, .plan, .status, .cache, .quota],
      value: .one(.shared, \.shared),
      summary: "Share quotas and answers with other machines, in this Redis",
      details: """
        \(RedisPlace.forms), instead of the cache and the quotas of this machine. Behind rediss: \
        ?ca=FILE, &cert=FILE and &key=FILE. While it is unreachable, \
        addresses wait as for a lost network.
        """,
      mayHoldSecret: true
    ),
  ]
}

/// The names of providers, each with its requirements.
private func names(of providers: [Provider]) -> [String] {
  providers.map { $0.name + ($0.needsKey ? " (needs a token)" : "") }
}
