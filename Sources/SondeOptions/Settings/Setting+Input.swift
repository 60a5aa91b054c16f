import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  static let input: [Setting] = [
    Setting(
      name: "log",
      commands: .reading,
      value: .flag(\.log),
      summary: "Find addresses anywhere in the text",
      details: "Also in brackets, quotes and URLs or with a port. By default a line holds one item."
    ),
    Setting(
      name: "log",
      commands: .summing,
      value: .flag(\.log),
      summary: "Read every FILE as a log, even if it holds records"
    ),
    Setting(
      name: "since",
      commands: .counting,
      value: .one(.bound, \.since),
      summary: "Count only lines with a time from this one on",
      details: "A date, a time as in RFC 3339, or how long ago, such as 2h or 7d."
    ),
    Setting(
      name: "until",
      commands: .counting,
      value: .one(.bound, \.until),
      summary: "Count only lines with a time before this one"
    ),
    Setting(
      name: "since",
      commands: [.outages],
      value: .one(.bound, \.since),
      standard: "30d",
      summary: "Show outages that last until after this time",
      details: "A date, a time as in RFC 3339, or how long ago, such as 2h or 7d."
    ),
    Setting(
      name: "until",
      commands: [.outages],
      value: .one(.bound, \.until),
      standard: "now",
      summary: "Show outages that begin before this time"
    ),
    Setting(
      name: "time-zone",
      commands: .reporting + [.scan, .check, .annotate],
      value: .one(.zoneName, \.timeZone),
      standard: "UTC",
      summary: "Use this zone for times without one, and for hours and days"
    ),
    Setting(
      name: "pcap",
      commands: [.scan, .plan, .extract, .compare, .summary, .block],
      value: .flag(\.pcap),
      summary: "Read every file as a capture of packets",
      details: "By default only those recognised by their content (pcap, pcapng), also compressed."
    ),
    Setting(
      name: "duplicates",
      commands: .reading,
      value: .one(.choice("WHICH"), \.duplicates),
      standard: "first",
      summary: "Answer each address once (first), or at every occurrence (keep)"
    ),
    Setting(
      name: "max-expand",
      commands: .reading,
      value: .one(.count(1...Int.max), \.maxExpand),
      standard: "65536",
      summary: "Refuse a block or range of more than N addresses"
    ),
    Setting(
      name: "by-network",
      commands: [.scan],
      value: .flag(\.byNetwork),
      summary: "Write one record for each network of the local databases",
      details: "Items may have any size, or be AS numbers, as AS3320. Needs --provider local."
    ),
    Setting(
      name: "strict",
      commands: .pacing.filter { ![.summary, .block, .guard, .serve].contains($0) },
      value: .flag(\.strict),
      summary: "Exit with 1 if any entry was invalid"
    ),
    Setting(
      name: "unique",
      commands: [.extract],
      value: .flag(\.unique),
      summary: "Print only the first occurrence of each address"
    ),
    Setting(
      name: "ipv4",
      short: "4",
      commands: [.extract],
      value: .flag(\.ipv4),
      summary: "Print the IPv4 addresses only"
    ),
    Setting(
      name: "ipv6",
      short: "6",
      commands: [.extract],
      value: .flag(\.ipv6),
      summary: "Print the IPv6 addresses only"
    ),
    Setting(
      name: "no-reserved",
      commands: [.extract],
      value: .flag(\.noReserved),
      summary: "Skip special-purpose addresses, such as private ones"
    ),
    Setting(
      name: "pick",
      commands: [.scan, .check, .extract, .annotate, .compare, .summary, .block, .guard],
      value: .one(.pick, \.pick),
      standard: "all",
      summary: "Use only these addresses of each line of a log",
      details: """
        first, last, public (the first that is not special-purpose) or name:NAME: those within the value \
        of NAME, which is a member of a line of JSON (client.ip or /client/ip for a path), a column below \
        a line '#Fields:' or '#fields', or what is behind NAME=. name:NAME,first and the like use one of \
        these. Of a packet, the first is the source. scan, check and compare need --log or --pcap for it.
        """
    ),
    Setting(
      name: "refang",
      commands: [.scan, .check, .plan, .extract, .annotate, .compare, .summary, .block],
      value: .flag(\.refang),
      summary: "Read defanged addresses, such as 8[.]8[.]8[.]8",
      details: "[.], (.), {.} and the same with dot are a '.'; [:], (:) and {:} are a ':'."
    ),
    Setting(
      name: "range",
      commands: [.scan, .check, .extract, .annotate, .compare],
      value: .one(.range, \.range),
      summary: "Read the lines that begin in these bytes of one regular file",
      details: """
        OFFSET:LENGTH, in bytes or with k, m or g; without a LENGTH to the end. scan, check and compare take \
        it with --log.
        """
    ),
  ]
}
