extension ManualPage {
  /// The page of the program, `sonde(1)`, or of a command, such as `sonde-scan(1)`.
  package static func of(_ command: CommandName?) -> ManualPage {
    command.map(page) ?? overview
  }

  private static var overview: ManualPage {
    let commands = CommandName.allCases.map { name in
      Block.item(Term(literals: ["sonde-\(name.rawValue)(1)"]), name.row.summary)
    }
    return ManualPage(
      name: "sonde",
      summary: "Tell who and where the addresses of a list or a log are",
      sections: [
        Section(
          heading: "Synopsis",
          blocks: [.usage(command: "sonde", operands: "COMMAND [OPTION...] [OPERAND...]")]
        ),
        Section(heading: "Description", blocks: [.paragraph(Help.introduction)]),
        Section(heading: "Commands", blocks: commands),
        Section(heading: "Options", blocks: items(Setting.all.filter { $0.group == .general })),
        Section(heading: "Configuration", blocks: [.paragraph(Help.configuration)]),
        environment(of: Setting.all),
        files,
        exitStatuses,
        examples(Help.overviewExamples),
        privacy,
        seeAlso(Array(CommandName.allCases)),
      ]
    )
  }

  private static func page(of name: CommandName) -> ManualPage {
    let command = name.row
    let settings = Setting.all.filter { $0.isTaken(by: name) }
    let groups = Setting.Group.allCases.filter { $0 != .environment }
    let options = groups.flatMap { group -> [Block] in
      let items = items(settings.filter { $0.group == group })
      return items.isEmpty ? [] : [.subheading(group.rawValue)] + items
    }
    return ManualPage(
      name: "sonde-\(name.rawValue)",
      summary: command.summary,
      sections: [
        Section(heading: "Synopsis", blocks: [usage(of: name)]),
        Section(heading: "Description", blocks: [.paragraph(command.description)]),
        Section(heading: "Options", blocks: options),
        environment(of: settings),
        command.sends ? files : Section(heading: "Files", blocks: []),
        command.showsExitStatuses ? exitStatuses : Section(heading: "Exit status", blocks: []),
        examples(command.examples),
        command.sends ? privacy : Section(heading: "Privacy", blocks: []),
        seeAlso([]),
      ]
    )
  }

  private static func usage(of name: CommandName) -> Block {
    let operands = ["[OPTION...]", name.row.operands.text].filter { !$0.isEmpty }
    return .usage(command: "sonde \(name.rawValue)", operands: operands.joined(separator: " "))
  }

  private static func items(_ settings: [Setting]) -> [Block] {
    settings.map { setting in
      let term = Term(literals: setting.spellings, value: setting.value.placeholder)
      return .item(term, Help.explanation(of: setting))
    }
  }

  private static func environment(of settings: [Setting]) -> Section {
    let items = settings.filter { $0.group == .environment }.map { setting in
      Block.item(Term(literals: [setting.variable]), Help.meaning(ofVariable: setting))
    }
    return Section(heading: "Environment", blocks: items)
  }

  private static let files = Section(
    heading: "Files",
    blocks: [
      ("/etc/sonde/config", "The machine's configuration."),
      (
        "$XDG_CONFIG_HOME/sonde/config",
        "Your configuration, by default ~/.config/sonde/config; it wins over the machine's."
      ),
      (
        "$XDG_CACHE_HOME/sonde/cache.db",
        "Answers that are given again, by default in ~/.cache/sonde; see sonde-cache(1)."
      ),
      (
        "$XDG_STATE_HOME/sonde/quota.db",
        """
        What is spent of each provider's quota, by default in ~/.local/state/sonde; see \
        sonde-quota(1).
        """
      ),
      (
        "$XDG_STATE_HOME/sonde/outages.db",
        "What watch and serve saw of the network; see sonde-outages(1)."
      ),
      (
        "/var/lib/location/database.db",
        "IPFire's location database, which the provider local reads."
      ),
    ]
    .map { .item(Term(literals: [$0.0]), $0.1) }
  )

  private static var exitStatuses: Section {
    Section(
      heading: "Exit status",
      blocks: Help.exitStatusRows.map { .item(Term(literals: [$0.left]), $0.right) }
    )
  }

  private static func examples(_ examples: KeyValuePairs<String, String>) -> Section {
    Section(heading: "Examples", blocks: examples.map { .example($0.key, $0.value) })
  }

  private static var privacy: Section {
    Section(heading: "Privacy", blocks: [.paragraph(Help.privacy)])
  }

  private static func seeAlso(_ commands: [CommandName]) -> Section {
    let pages = commands.isEmpty ? ["sonde(1)"] : commands.map { "sonde-\($0.rawValue)(1)" }
    return Section(heading: "See also", blocks: [.paragraph(pages.joined(separator: ", "))])
  }
}
