import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  static let network: [Setting] = [
    Setting(
      name: "endpoint",
      commands: .watching,
      value: .many(.endpoint, \.endpoints, splitsAtBlanks: true),
      standard: "the provider's",
      summary: "Watch the path to this host",
      details: """
        A name or address, with a TCP port or the one of HTTPS. watch takes several, which \
        SONDE_ENDPOINT separates by blanks.
        """
    ),
    Setting(
      name: "quorum",
      commands: [.watch],
      value: .one(.count(1...Int.max), \.quorum),
      standard: "1",
      summary: "Consider the network online while N of the endpoints are reachable"
    ),
    Setting(
      name: "degraded",
      commands: [.watch],
      value: .one(.limits, \.degraded),
      summary: "Report an open path that is lossy or slow as degraded",
      details: """
        LIMITS are loss=20%,connect=300ms or one of them: the share of the last 20 probes that was \
        lost, and the median time to connect. Lasts until both are under two thirds of the limits.
        """
    ),
    Setting(
      name: "endpoint",
      commands: [.outages],
      value: .one(.watchedEndpoint, \.watchedEndpoint),
      standard: "all",
      summary: "Show what was seen of this endpoint",
      details: "Several that were watched as one have blanks between them."
    ),
    Setting(
      name: "interval",
      commands: [.watch],
      value: .one(.positiveDuration, \.interval),
      standard: "250ms",
      summary: "Check the network this often, in addition to changes reported by the kernel",
      details: "Times are a number with ms, s, m, h or d; a bare number is seconds."
    ),
    Setting(
      name: "probe",
      commands: [.watch],
      value: .one(.duration, \.probe),
      standard: "30s",
      summary: "Connect to the endpoint this often, and at the start and after each change",
      details: "0 means never. With --degraded, the default is 1s."
    ),
    Setting(
      name: "portal-url",
      commands: .watching,
      value: .one(.url, \.portalURL),
      summary: "Request this page at the same interval, to detect a login page",
      details: "It must answer 204, or else anything but HTML or a redirect."
    ),
    Setting(
      name: "settle",
      commands: [.watch],
      value: .one(.duration, \.settle),
      standard: "0",
      summary: "Report a state only once it has lasted this long"
    ),
    Setting(
      name: "once",
      commands: [.watch, .guard],
      value: .flag(\.once),
      summary: "Report the state at the start, and end with 0 if online, 3 if offline",
      details: "guard: end when what is there is read and each alert was tried."
    ),
  ]

  static let alerts: [Setting] = [
    Setting(
      name: "exec",
      commands: [.watch, .guard],
      value: .one(.command, \.exec),
      summary: "Run COMMAND by /bin/sh at each change of the state, or each alert",
      details: """
        With SONDE_STATE, SONDE_CAUSE, SONDE_INTERFACE, SONDE_AT and SONDE_DOWN_MS; from guard with \
        the event on stdin, and SONDE_ALERT_ID, _IP, _KEY, _COUNT and _TIME. One at a time, in order, \
        killed after 30 s with its background processes.
        """
    ),
    Setting(
      name: "webhook",
      commands: [.watch, .guard, .serve],
      value: .many(.webhook, \.webhooks, splitsAtBlanks: true),
      summary: "POST each alert, as a change of the state or of serve's watchlist, to URL",
      details: """
        FORMAT is sonde (the event in JSON), slack, discord, teams, ntfy, alertmanager, pagerduty \
        or template:FILE; by default that of the host, otherwise sonde. Kept in a queue of each \
        URL under $XDG_STATE_HOME/sonde/alerts until it is taken. URLs that hold a key are better \
        given as SONDE_WEBHOOK, with blanks between.
        """,
      isSecret: true
    ),
    Setting(
      name: "heartbeat",
      commands: [.watch, .guard],
      value: .one(.url, \.heartbeat),
      summary: "GET this URL regularly while the network is online",
      details: """
        For a service that raises an alert if this machine falls silent. {{state}} in it becomes \
        online or degraded.
        """,
      isSecret: true
    ),
    Setting(
      name: "heartbeat-every",
      commands: [.watch, .guard],
      value: .one(.positiveDuration, \.heartbeatEvery),
      standard: "1m",
      summary: "The time between two requests of --heartbeat"
    ),
    Setting(
      name: "syslog",
      commands: [.watch, .guard],
      value: .flag(\.syslog),
      summary: "Log each change of the state, or each alert, to the system log"
    ),
    Setting(
      name: "host-name",
      commands: [.watch, .guard, .serve],
      value: .one(.key, \.hostName),
      standard: "the machine's name",
      summary: "Name of this machine in alerts"
    ),
    Setting(
      name: "test-alert",
      commands: [.watch, .guard],
      value: .flag(\.testAlert),
      summary: "Send a test by --webhook, --exec and --syslog once, and end",
      details: """
        Reports what came back from each; ends with 0 if all took it, otherwise with 3 while the \
        network is lost, or 1.
        """
    ),
    Setting(
      name: "metrics",
      commands: [.watch],
      value: .one(.listener, \.metrics),
      summary: "Serve metrics for Prometheus at http://HOST:PORT/metrics"
    ),
  ]
}
