package import SondeProviders

/// The texts of `--help`, generated from the tables.
package enum Help {
  /// The privacy notes of all providers that call for some caution.
  package static let privacy = Provider.all.compactMap { provider in
    let host = provider.service?.api(at: nil, key: nil, fields: []).base.authority
    return host.flatMap { privacy(of: provider, at: $0) }
  }
  .joined(separator: "\n")

  /// The privacy note of a provider at the host that is really asked; `nil` if it needs none.
  package static func privacy(of provider: Provider, at host: String) -> String? {
    provider.service?.caution.map { "\($0(host)); --provider local sends nothing." }
  }

  /// `sonde --help`, or `sonde COMMAND --help`.
  package static func text(for command: CommandName?, in layout: HelpLayout = HelpLayout())
    -> String
  {
    command.map { text(of: $0, layout) } ?? overview(layout)
  }

  private static func overview(_ layout: HelpLayout) -> String {
    let rows = CommandName.allCases.map { name in
      HelpLayout.Row(left: usage(of: name), right: name.row.summary)
    }
    let general = Setting.all.filter { $0.group == .general }.map(row)
    return layout.sections([
      layout.wrap(introduction),
      layout.wrap("Usage: sonde COMMAND [OPTION...] [OPERAND...]"),
      layout.section("Commands", rows),
      layout.section("Options", general),
      layout.wrap("Each command has more: see 'sonde COMMAND --help'."),
      examples(overviewExamples, layout),
      "Configuration:\n" + layout.wrap(configuration, indent: 2),
      privacySection(layout),
      environment(of: Setting.all, layout),
      exitStatuses(layout),
    ])
  }

  package static let introduction = """
    Sonde looks up country, city, network and operator of each address of a list or a log. It keeps \
    to the quotas of its providers, and never loses, repeats or invents a record.
    """

  package static let overviewExamples: KeyValuePairs<String, String> = [
    "sonde scan addresses.txt -o addresses.csv": "Enrich a list into a CSV file",
    "sonde scan --log access.log --provider local":
      "Enrich the addresses of a log without sending any of them",
    "sonde lookup 1.1.1.1 2606:4700:4700::1111": "Look up two addresses",
  ]

  package static let configuration = """
    Every long option can also be set in the environment (SONDE_TIMEOUT=5s, SONDE_STRICT=1) \
    and in two files: the system's, /etc/sonde/config, and yours, \
    $XDG_CONFIG_HOME/sonde/config, by default ~/.config/sonde/config (lines such as 'timeout = \
    5s' and 'strict = true'). The command line wins, then the environment, then your file, then \
    the system's. Keys and tokens are never taken from the command line. A file that holds a \
    key must be readable by you alone (chmod 600); /etc/sonde/config must belong to root and may \
    be readable by one group (chmod 640).
    """

  private static func privacySection(_ layout: HelpLayout) -> String {
    "Privacy:\n" + layout.wrap(privacy, indent: 2)
  }

  private static func text(of name: CommandName, _ layout: HelpLayout) -> String {
    let command = name.row
    let settings = Setting.all.filter { $0.isTaken(by: name) }
    let groups = Setting.Group.allCases.filter { $0 != .environment }
    let column = layout.column(for: settings.filter { $0.group != .environment }.map(row))
    let options = groups.map { group in
      let rows = settings.filter { $0.group == group }.map(row)
      return layout.section(group.rawValue, rows, column: column)
    }
    return layout.sections(
      [layout.wrap(command.description), layout.wrap(usageLine(of: name))] + options + [
        environment(of: settings, layout),
        examples(command.examples, layout),
        command.sends ? privacySection(layout) : "",
        command.showsExitStatuses ? exitStatuses(layout) : "",
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

  private static func row(_ setting: Setting) -> HelpLayout.Row {
    let short = setting.short.map { "-\($0), " } ?? "    "
    let placeholder = setting.value.placeholder.map { " " + $0 } ?? ""
    let left = short + setting.option + placeholder
    return HelpLayout.Row(left: left, right: explanation(of: setting))
  }

  /// What an option does, its default, and whether it can be repeated.
  package static func explanation(of setting: Setting) -> String {
    let sentences = [setting.summary, setting.details].compactMap { $0 }.joined(separator: ". ")
    let notes = [
      setting.standard.map { "default: \($0)" },
      setting.value.isRepeatable ? "repeatable" : nil,
    ].compactMap { $0 }
    return notes.isEmpty
      ? sentences : sentences + " " + unbroken("[\(notes.joined(separator: "; "))]")
  }

  private static func environment(of settings: [Setting], _ layout: HelpLayout) -> String {
    let rows = settings.filter { $0.group == .environment }.map {
      HelpLayout.Row(left: $0.variable, right: meaning(ofVariable: $0))
    }
    return layout.section(Setting.Group.environment.rawValue, rows)
  }

  /// The purpose of an environment variable, and its name in the file.
  package static func meaning(ofVariable setting: Setting) -> String {
    let note =
      setting.places.contains(.file) ? " " + unbroken("(in the file: \(setting.name))") : ""
    return setting.summary + note
  }

  private static func examples(
    _ examples: KeyValuePairs<String, String>,
    _ layout: HelpLayout
  ) -> String {
    let shown = examples.map { line, meaning in
      "  \(line)\n" + layout.wrap(meaning, indent: 6)
    }
    return "Examples:\n" + shown.joined(separator: "\n")
  }

  private static func exitStatuses(_ layout: HelpLayout) -> String {
    layout.section("Exit status", exitStatusRows)
  }

  package static var exitStatusRows: [HelpLayout.Row] {
    let rows = ExitStatus.allCases.compactMap { status in
      status.meaning.map { HelpLayout.Row(left: "\(status.rawValue)", right: $0) }
    }
    let signals = HelpLayout.Row(
      left: "128+N",
      right: """
        ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143 (watch, serve and a guard that \
        follows files end with 0)
        """
    )
    return rows + [signals]
  }

  /// The text with no-break spaces if it is short enough to stay on one line.
  private static func unbroken(_ text: String) -> String {
    text.count > 26 ? text : text.split(separator: " ").joined(separator: "\u{a0}")
  }
}
