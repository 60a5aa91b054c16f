import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  static let server: [Setting] = [
    Setting(
      name: "listen",
      commands: .serving,
      value: .one(.listener, \.listen),
      standard: "\(Options().listen)",
      summary: "Answer at this address and port",
      details: """
        A separate address, since browsers send cookies to every port of an address. One that other \
        machines can reach needs --team, and TLS or a proxy. Port 0 picks a free port.
        """
    ),
    Setting(
      name: "team",
      commands: .serving,
      value: .flag(\.team),
      summary: "Require a login; users have their own scans and look-ups",
      details: "The first link registers the admin, who invites the others."
    ),
    Setting(
      name: "open-registration",
      commands: .serving,
      value: .flag(\.openRegistration),
      summary: "Let anyone register without an invitation"
    ),
    Setting(
      name: "state",
      commands: .serving,
      value: .one(.folder, \.state),
      standard: "$XDG_STATE_HOME/sonde/serve",
      summary: "Keep scans, look-ups and sessions in DIR",
      // `SONDE_STATE` holds the network's state for the commands of `watch`.
      places: [.commandLine, .file]
    ),
    Setting(
      name: "public-url",
      commands: .serving,
      value: .one(.publicURL, \.publicURL),
      summary: "The public URL of a server behind a proxy",
      details: "It sets the scheme, the host and the prefix of all paths."
    ),
    Setting(
      name: "behind-proxy",
      commands: .serving,
      value: .one(.networks, \.proxies),
      summary: "Trust X-Forwarded-For from these proxies"
    ),
    Setting(
      name: "tls-cert",
      commands: .serving,
      value: .one(.path, \.tlsCertificate),
      summary: "Speak TLS with the certificate of FILE, as PEM",
      details: "Followed by its intermediate certificates. SIGHUP reloads certificate and key."
    ),
    Setting(
      name: "tls-key",
      commands: .serving,
      value: .one(.path, \.tlsKey),
      summary: "The key of --tls-cert, as PEM"
    ),
    Setting(
      name: "theme",
      commands: .serving,
      value: .one(.path, \.theme),
      summary: "Take the page's colors, fonts and spacing from FILE",
      details: "A style sheet with the custom properties that the page's own theme.css sets."
    ),
    Setting(
      name: "keep",
      commands: .serving,
      value: .one(.positiveDuration, \.keep),
      standard: "90d",
      summary: "Delete look-ups and scans after this time"
    ),
    Setting(
      name: "follow",
      commands: .serving,
      value: .many(.path, \.follow),
      summary: "Follow this log, and show live who and where its addresses are",
      details: """
        By its name, as tail -F: from its end at the first start, later from where it was. Repeat \
        it for several logs; - is standard input. With --team everybody who is logged in sees them.
        """,
      places: [.commandLine]
    ),
    Setting(
      name: "watch-every",
      commands: .serving,
      value: .one(.positiveDuration, \.watchEvery),
      standard: "1d",
      summary: "Look up watchlist addresses again when their answers are older"
    ),
    Setting(
      name: "limit-upload",
      commands: .serving,
      value: .one(.size, \.limitUpload),
      standard: "1GiB",
      summary: "Refuse larger uploads"
    ),
    Setting(
      name: "limit-entries",
      commands: .serving,
      value: .one(.count(1...Int.max), \.limitEntries),
      standard: "\(Options().limitEntries)",
      summary: "Fail scans of more than N entries"
    ),
    Setting(
      name: "limit-scans",
      commands: .serving,
      value: .one(.count(1...Int.max), \.limitScans),
      standard: "\(Options().limitScans)",
      summary: "Keep at most N scans"
    ),
    Setting(
      name: "limit-disk",
      commands: .serving,
      value: .one(.size, \.limitDisk),
      standard: "10GiB",
      summary: "Refuse uploads beyond this size of a user's scans"
    ),
    Setting(
      name: "limit-lookups",
      commands: .serving,
      value: .one(.rate, \.limitLookups),
      standard: "60/min",
      summary: "With --team, refuse further look-ups of a user that ask a provider"
    ),
  ]
}
