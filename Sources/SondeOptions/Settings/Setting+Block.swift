import SondeBlock

extension Setting {
  /// What `block` makes rules of.
  static let rules: [Setting] = [
    Setting(
      name: "bad",
      commands: [.block],
      value: .one(.condition, \.bad),
      summary: "Stop the hits for which EXPR is true",
      details: "Needed. The language is that of --where in summary, judged hit by hit.",
      insteadOfTwice: "join both by 'or' in one"
    ),
    Setting(
      name: "good",
      commands: [.block],
      value: .one(.condition, \.good),
      standard: "all hits of addresses that have no bad hit",
      summary: "Spare those of the other hits for which EXPR is true",
      details: "--good ip spares all that is not bad.",
      insteadOfTwice: "join both by 'or' in one"
    ),
    Setting(
      name: "cover",
      commands: [.block],
      value: .one(.share, \.blockLimits.cover),
      standard: "95%",
      summary: "Stop at least this share of the bad hits"
    ),
    Setting(
      name: "collateral",
      commands: [.block],
      value: .one(.share, \.blockLimits.collateral),
      standard: "0.1%",
      summary: "Touch at most this share of the good hits"
    ),
    Setting(
      name: "shortest",
      commands: [.block],
      value: .one(.shortest, \.blockLimits.shortest),
      standard: "24,48",
      summary: "The shortest prefixes, of IPv4 and of IPv6"
    ),
    Setting(
      name: "longest",
      commands: [.block],
      value: .one(.longest, \.blockLimits.longest),
      standard: "32,64",
      summary: "The longest prefixes, of IPv4 and of IPv6"
    ),
    Setting(
      name: "max-rules",
      commands: [.block],
      value: .one(.count(0...Int.max), \.blockLimits.mostRules),
      summary: "Make at most N rules"
    ),
    Setting(
      name: "never",
      commands: [.block],
      value: .many(.never, \.never),
      summary: "Touch none of these networks",
      details: "A FILE as 'ip in @FILE' takes, or a list that 'sonde tables' knows: cloudflare."
    ),
    Setting(
      name: "count",
      commands: [.block],
      value: .one(.choice("WHAT"), \.blockLimits.count),
      standard: "hits",
      summary: "Count hits, or addresses with such hits"
    ),
    Setting(
      name: "format",
      commands: [.block],
      value: .one(.choice("FORMAT"), \.blockFormat),
      summary: "Write \(Form<BlockFormat>.choice("FORMAT").accepted)",
      details: """
        By default as the ending of the output file says, else table on a terminal, else plain.
        """
    ),
    Setting(
      name: "name",
      commands: [.block],
      value: .one(.ruleName, \.name),
      standard: RuleStyle().name,
      summary: "Give sets, chains and matchers this name"
    ),
    Setting(
      name: "expire",
      commands: [.block],
      value: .one(.positiveDuration, \.expire),
      summary: "End the rules after this time",
      details: "In nft and ipset by itself; the others only say until when."
    ),
  ]
}
