import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  static let server: [Setting] = [
    Setting(
      name: "listen",
      group: .server,
      commands: .serving,
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
      commands: .serving,
      value: .flag(\.team),
      summary: "Have people log in, each to scans and look-ups of their own",
      details: "The first link registers the admin, who invites the others."
    ),
    Setting(
      name: "open-registration",
      group: .server,
      commands: .serving,
      value: .flag(\.openRegistration),
      summary: "Let everybody register, without an invitation"
    ),
    Setting(
      name: "state",
      group: .server,
      commands: .serving,
      value: .one(.folder, \.state),
      standard: "$XDG_STATE_HOME/sonde/serve",
      summary: "Keep scans, look-ups and sessions in DIR",
      // SONDE_STATE tells the commands of watch how the network is.
      places: [.commandLine, .file]
    ),
    Setting(
      name: "public-url",
      group: .server,
      commands: .serving,
      value: .one(.publicURL, \.publicURL),
      summary: "Where people find it, when a proxy stands before it",
      details: "It tells the scheme, the host and the path that all paths begin with."
    ),
    Setting(
      name: "behind-proxy",
      group: .server,
      commands: .serving,
      value: .one(.networks, \.proxies),
      summary: "Believe the X-Forwarded-For of these proxies"
    ),
    Setting(
      name: "tls-cert",
      group: .server,
      commands: .serving,
      value: .one(.path, \.tlsCertificate),
      summary: "Speak TLS with the certificate of FILE, as PEM",
      details: "With those that lead to its root. SIGHUP has it and its key read again."
    ),
    Setting(
      name: "tls-key",
      group: .server,
      commands: .serving,
      value: .one(.path, \.tlsKey),
      summary: "The key of --tls-cert, as PEM"
    ),
    Setting(
      name: "theme",
      group: .server,
      commands: .serving,
      value: .one(.path, \.theme),
      summary: "Take the page's colors, fonts and spacing from FILE",
      details: "A style sheet with the custom properties that the page's own theme.css sets."
    ),
    Setting(
      name: "keep",
      group: .server,
      commands: .serving,
      value: .one(.positiveDuration, \.keep),
      standard: "90d",
      summary: "Forget look-ups, scans and losses that are older"
    ),
    Setting(
      name: "watch-every",
      group: .server,
      commands: .serving,
      value: .one(.positiveDuration, \.watchEvery),
      standard: "1d",
      summary: "Ask again for what is on a watchlist when its answer is older"
    ),
    Setting(
      name: "limit-upload",
      group: .server,
      commands: .serving,
      value: .one(.size, \.limitUpload),
      standard: "1GiB",
      summary: "Refuse a longer upload"
    ),
    Setting(
      name: "limit-entries",
      group: .server,
      commands: .serving,
      value: .one(.count(1...Int.max), \.limitEntries),
      standard: "\(Options().limitEntries)",
      summary: "End a scan of more than N entries as failed"
    ),
    Setting(
      name: "limit-scans",
      group: .server,
      commands: .serving,
      value: .one(.count(1...Int.max), \.limitScans),
      standard: "\(Options().limitScans)",
      summary: "Keep at most N scans"
    ),
  ]
}
