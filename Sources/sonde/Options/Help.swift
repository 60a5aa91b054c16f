import Providers

/// The texts of `--help`, made from the tables and wrapped at 80 columns.
enum Help {
  /// What is said wherever addresses could go to a provider with which some caution is due.
  static let privacy = Provider.all.compactMap { provider in
    let host = provider.service?.api(at: nil, key: nil, fields: []).base.authority
    return host.flatMap { privacy(of: provider, at: $0) }
  }
  .joined(separator: "\n")

  /// The same for the host that is really asked; `nil` where there is nothing to say.
  static func privacy(of provider: Provider, at host: String) -> String? {
    provider.service?.caution.map { "\($0(host)); --provider local sends nothing." }
  }

  /// `sonde --help`, or `sonde COMMAND --help`.
  static func text(for command: CommandName?) -> String {
    command.map(commandHelp) ?? overview
  }

  private static var overview: String {
    let rows = CommandName.allCases.map { name in
      Row(left: usage(of: name), right: name.row.summary)
    }
    let general = Setting.all.filter { $0.group == .general }.map(row)
    return sections([
      wrap(introduction),
      "Usage: sonde COMMAND [OPTION...] [OPERAND...]",
      section("Commands", rows),
      section("Options", general),
      "Each command has more: see 'sonde COMMAND --help'.",
      examples(overviewExamples),
      "Configuration:\n" + wrap(configuration, indent: 2),
      privacySection,
      environment(of: Setting.all),
      exitStatuses,
    ])
  }

  static let introduction = """
    Sonde tells who and where the addresses of a list or a log are. It keeps to the quotas of its \
    providers, and never loses, repeats or invents a record.
    """

  static let overviewExamples = [
    Command.Example(
      line: "sonde scan addresses.txt -o addresses.csv",
      meaning: "Enrich a list into a CSV file"
    ),
    Command.Example(
      line: "sonde scan --log access.log --provider local",
      meaning: "Enrich the addresses of a log without sending any of them"
    ),
    Command.Example(
      line: "sonde lookup 1.1.1.1 2606:4700:4700::1111",
      meaning: "Look up two addresses"
    ),
  ]

  static let configuration = """
    Every long option can also be set in the environment (SONDE_TIMEOUT=5s, SONDE_STRICT=1) \
    and in two files: the system's, /etc/sonde/config, and yours, \
    $XDG_CONFIG_HOME/sonde/config, by default ~/.config/sonde/config (lines such as 'timeout = \
    5s' and 'strict = true'). The command line wins, then the environment, then your file, then \
    the system's. Keys and tokens are never taken from the command line; a file that holds one \
    must be yours alone (chmod 600).
    """

  private static var privacySection: String { "Privacy:\n" + wrap(privacy, indent: 2) }

  private static func commandHelp(_ name: CommandName) -> String {
    let command = name.row
    let settings = Setting.all.filter { $0.isTaken(by: name) }
    let groups = Setting.Group.allCases.filter { $0 != .environment }
    let column = column(for: settings.filter { $0.group != .environment }.map(row))
    return sections(
      [
        wrap(command.description),
        usageLine(of: name),
      ]
        + groups.map { group in
          section(group.rawValue, settings.filter { $0.group == group }.map(row), column: column)
        }
        + [
          environment(of: settings),
          examples(command.examples),
          command.sends ? privacySection : "",
          command.showsExitStatuses ? exitStatuses : "",
        ]
    )
  }

  /// `Usage: sonde scan [OPTION...] [INPUT...]`.
  static func usageLine(of name: CommandName) -> String {
    "Usage: sonde \(usage(of: name, options: true))"
  }

  private static func usage(of name: CommandName, options: Bool = false) -> String {
    [name.rawValue, options ? "[OPTION...]" : "", name.row.operands.text]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func row(_ setting: Setting) -> Row {
    let short = setting.short.map { "-\($0), " } ?? "    "
    let placeholder = setting.value.placeholder.map { " " + $0 } ?? ""
    return Row(left: short + setting.option + placeholder, right: explanation(of: setting))
  }

  /// What an option does, its default, and whether it can be given again.
  static func explanation(of setting: Setting) -> String {
    let sentences = [setting.summary, setting.details].compactMap { $0 }.joined(separator: ". ")
    let notes = [
      setting.standard.map { "default: \($0)" },
      setting.value.isRepeatable ? "repeatable" : nil,
    ].compactMap { $0 }
    return notes.isEmpty
      ? sentences : sentences + " " + unbroken("[\(notes.joined(separator: "; "))]")
  }

  private static func environment(of settings: [Setting]) -> String {
    let rows = settings.filter { $0.group == .environment }.map {
      Row(left: $0.variable, right: meaning(ofVariable: $0))
    }
    return section(Setting.Group.environment.rawValue, rows)
  }

  /// What a variable of the environment is for, and what it is called in the file.
  static func meaning(ofVariable setting: Setting) -> String {
    let note =
      setting.places.contains(.file) ? " " + unbroken("(in the file: \(setting.name))") : ""
    return setting.summary + note
  }

  private static func examples(_ examples: [Command.Example]) -> String {
    let shown = examples.map { example in
      "  \(example.line)\n" + wrap(example.meaning, indent: 6)
    }
    return "Examples:\n" + shown.joined(separator: "\n")
  }

  private static var exitStatuses: String { section("Exit status", exitStatusRows) }

  /// Each status and what it means.
  static var exitStatusRows: [Row] {
    let rows = ExitStatus.allCases.compactMap { status in
      status.meaning.map { Row(left: "\(status.rawValue)", right: $0) }
    }
    let signals = Row(
      left: "128+N",
      right: "ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143"
    )
    return rows + [signals]
  }
}
