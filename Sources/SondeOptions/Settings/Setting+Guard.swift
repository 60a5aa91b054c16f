extension Setting {
  /// When `guard` raises alerts.
  static let guarding: [Setting] = [
    Setting(
      name: "when",
      commands: [.guard],
      value: .one(.condition, \.guarding.when),
      summary: "Count the hits for which EXPR is true",
      details: """
        Needed, but with --new and --travel. The language is that of --where in summary, and text is \
        the line: 'text ~ "*Failed*"'.
        """,
      insteadOfTwice: "join both by 'or' in one"
    ),
    Setting(
      name: "capture",
      commands: [.block, .guard],
      value: .one(.regex, \.capture),
      summary: "Make fields of the named groups of this regular expression in each line",
      details: """
        PCRE2, found anywhere in the line: 'for (?<user>\\S+) from' adds the field user to --bad, \
        --good, --when, --by and --new. Lines that do not match have none.
        """
    ),
    Setting(
      name: "by",
      commands: [.guard],
      value: .one(.keyFields, \.guarding.by),
      standard: "ip",
      summary: "Count the hits of each combination of these fields",
      details: "Hits without one of them do not count."
    ),
    Setting(
      name: "count",
      commands: [.guard],
      value: .one(.count(1...Int.max), \.guarding.count),
      standard: "1",
      summary: "Raise an alert with the Nth hit within the time of --within"
    ),
    Setting(
      name: "within",
      commands: [.guard],
      value: .one(.positiveDuration, \.guarding.within),
      standard: "10m",
      summary: "Count the hits of this time, which ends with each hit"
    ),
    Setting(
      name: "new",
      commands: [.guard],
      value: .one(.column, \.guarding.new),
      summary: "Count only hits whose key did not have this value before",
      details: """
        In the last 90 days. The first value of a key is learnt without an alert: --by user --new \
        country_code.
        """
    ),
    Setting(
      name: "travel",
      commands: [.guard],
      value: .one(.count(1...1_000_000), \.guarding.travel),
      summary: "Count only hits faster than N km/h from the key's hit before",
      details: "And at least 100 km from it, where both places are known."
    ),
    Setting(
      name: "every",
      commands: [.guard],
      value: .one(.duration, \.guarding.every),
      standard: "1h",
      summary: "Raise at most one alert of a key in this time",
      details: "With --new, of a key and value."
    ),
    Setting(
      name: "at-most",
      commands: [.guard],
      value: .one(.count(0...Int.max), \.guarding.atMost),
      standard: "60",
      summary: "Deliver at most N alerts of an hour; 0 for all",
      details: "Instead of the next, one of kind flood; further ones are printed alone."
    ),
    Setting(
      name: "name",
      commands: [.guard],
      value: .one(.guardName, \.guarding.name),
      summary: "Keep the state under this name, and give it to alerts",
      details: """
        In $XDG_STATE_HOME/sonde/guard/NAME. After any stop, the same command goes on where it was. \
        Without a name nothing is kept.
        """
    ),
    Setting(
      name: "from-start",
      commands: [.guard],
      value: .flag(\.guarding.fromStart),
      summary: "Read files that are there when first named from their beginning, not their end"
    ),
    Setting(
      name: "journal",
      commands: [.guard],
      value: .many(.unit, \.guarding.journals),
      summary: "Read the messages of this unit in the systemd journal; all: of every unit",
      details: "By libsystemd; all leaves Sonde's own out. Without FILE nothing else is read."
    ),
    Setting(
      name: "replay",
      commands: [.guard],
      value: .flag(\.guarding.replay),
      summary: "Read the files, in the order of their times, and print what would have been raised",
      details: "Compressed ones, too. Nothing is kept or delivered."
    ),
  ]
}
