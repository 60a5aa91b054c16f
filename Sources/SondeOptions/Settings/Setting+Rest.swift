import SondeCatalog
import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  static let messages: [Setting] = [
    Setting(
      name: "events",
      commands: .asking + [.check, .upgrade],
      value: .one(.path, \.events),
      summary: "Log all events to FILE, as NDJSON"
    ),
    Setting(
      name: "quiet",
      short: "q",
      commands: .working,
      value: .flag(\.quiet),
      summary: "Print only errors on stderr"
    ),
    Setting(
      name: "progress",
      commands: .working.filter { ![CommandName].watching.contains($0) },
      value: .one(.choice("WHEN"), \.progress),
      standard: "auto",
      summary: "Show progress on stderr: auto, always or never",
      details: "With auto, on a terminal that is not dumb, and not in the background."
    ),
    Setting(
      name: "color",
      commands: .working,
      value: .one(.choice("WHEN"), \.color),
      standard: "auto",
      summary: "Use colors: auto, always or never",
      details: "With auto, on a terminal, unless NO_COLOR is set or TERM is dumb."
    ),
  ]

  static let rest: [Setting] =
    [
      Setting(
        name: "man",
        commands: [.help],
        value: .flag(\.man),
        summary: "Write the page in the language of man, man(7)",
        places: .commandLine
      ),
      Setting(
        name: "help",
        short: "h",
        commands: .every,
        value: .answered,
        summary: "Show this help",
        places: .commandLine,
        answer: .help
      ),
      Setting(
        name: "version",
        short: "V",
        commands: .every,
        value: .answered,
        summary: "Show the version",
        places: .commandLine,
        answer: .version
      ),
    ] + keys + sharedPasswords + baseURLs + [endpoint("ipify-url", \.ipifyURL)] + mirrors
}

private let sharedPasswords = [
  sharedPassword("shared-password", of: "the Redis that --shared names", \.sharedPassword),
  sharedPassword(
    "shared-sentinel-password",
    of: "the sentinels that --shared names",
    \.sharedSentinelPassword
  ),
]

private func sharedPassword(
  _ name: String,
  of what: String,
  _ path:
    @autoclosure @escaping @Sendable () -> any WritableKeyPath<Options, RedactedText?> & Sendable
) -> Setting {
  Setting(
    name: name,
    group: .environment,
    commands: .asking + [.upgrade, .plan, .status, .cache, .quota],
    value: .one(.secret, path()),
    summary: "Password of \(what)",
    places: [.environment, .file],
    isSecret: true
  )
}

/// Mirrors that replace several hosts; their paths begin with the host.
private let mirrors = [
  mirror(
    "services-url",
    of: "the web services of --with",
    for: .askingMany + [.plan],
    \.servicesURL
  ),
  mirror("tables-url", of: "the lists and databases", for: [.tables], \.tablesURL),
  mirror("rdap-url", of: "the registries of addresses", for: .askingMany + [.plan], \.registryURL),
  mirror(
    "rdap-bootstrap-url",
    of: "IANA's list of these",
    for: .askingMany + [.plan],
    \.directoryURL
  ),
]

private func mirror(
  _ name: String,
  of what: String,
  for commands: [CommandName],
  _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Options, String?> & Sendable
) -> Setting {
  Setting(
    name: name,
    group: .environment,
    commands: commands,
    value: .one(.url, path()),
    summary: "Base URL of a mirror of \(what), whose hosts begin the paths",
    places: .environment,
    isSecret: true
  )
}

private let keys =
  Provider.all.compactMap(\.service?.key).withoutRepetition.map { key in
    let isOfDatabase = PublishedDatabase.all.contains {
      $0.credential?.settings.contains(key.setting) == true
    }
    return secret(key.setting, key.summary, .heading + (isOfDatabase ? [.tables] : []))
  }
  + WebService.all.compactMap(\.key?.key).map {
    secret($0.setting, $0.summary, .askingMany + [.plan])
  } + [
    secret("maxmind-account", "Number of the account of geolite", [.tables]),
    secret("maxmind-key", "Licence key of geolite", [.tables]),
  ]

/// A secret of an account, which comes from the environment or a private file.
private func secret(_ name: String, _ summary: String, _ commands: [CommandName]) -> Setting {
  Setting(
    name: name,
    group: .environment,
    commands: commands,
    value: .one(.secret, \.keys[name]),
    summary: summary,
    places: [.environment, .file],
    isSecret: true
  )
}

private let baseURLs = Provider.all.compactMap(\.service?.url).withoutRepetition.map {
  endpoint($0, \.baseURLs[$0])
}

/// A base URL; messages do not repeat it, as it may hold a password.
private func endpoint(
  _ name: String,
  _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Options, String?> & Sendable
) -> Setting {
  Setting(
    name: name,
    group: .environment,
    commands: .heading,
    value: .one(.url, path()),
    summary: "Base URL instead of \(name.dropLast("-url".count))'s own",
    places: .environment,
    isSecret: true
  )
}

extension Array where Element: Equatable {
  fileprivate var withoutRepetition: [Element] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
