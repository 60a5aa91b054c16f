extension CommandName {
  /// The row of this command; a new command needs a case and its row.
  package var row: Command {
    switch self {
    case .scan: .scan
    case .lookup: .lookup
    case .me: .me
    case .check: .check
    case .plan: .plan
    case .extract: .extract
    case .annotate: .annotate
    case .upgrade: .upgrade
    case .compare: .compare
    case .diff: .diff
    case .summary: .summary
    case .block: .block
    case .guard: .guard
    case .watch: .watch
    case .outages: .outages
    case .status: .status
    case .cache: .cache
    case .quota: .quota
    case .tables: .tables
    case .serve: .serve
    case .completions: .completions
    case .help: .help
    }
  }
}

extension Command {
  static let scan = Command(
    summary: "Enrich every address of the inputs, one record each",
    description: """
      Asks the providers for every address of the inputs and writes one record each, in the \
      order of the input, while it is still being read. An INPUT is a file, a literal address, \
      a CIDR block or a range, or - for stdin, which is also read when it is piped and no INPUT \
      is given. Files may be compressed with gzip, zstd, xz or bzip2. A list holds one item per line; \
      blank lines and # comments are fine. Captures of packets (pcap, pcapng) are recognised by \
      their content.
      """,
    operands: .inputs,
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde scan addresses.txt -o addresses.csv": "Enrich a list into a CSV file",
      "sonde scan list.txt -o places.geojson": "Put every place on a map",
      "sonde scan --log access.log --provider local":
        "Enrich the addresses of a log without sending any of them",
      "sonde scan list.txt -o out.csv --resume": "Resume an interrupted scan",
      "sonde scan list.txt --missing left.txt > out.ndjson":
        "Keep the addresses left without an answer, to scan them again",
    ]
  )

  static let lookup = Command(
    summary: "Show what is known of a few addresses",
    description: """
      Looks up each ADDRESS and lays the answers out for a person; in a pipe they are NDJSON, \
      as from scan.
      """,
    operands: Operands(text: "ADDRESS...", needed: "an address", minimum: 1),
    sends: true,
    examples: [
      "sonde lookup 1.1.1.1 2606:4700:4700::1111": "Look up two addresses",
      "sonde lookup 9.9.9.9 | jq -r .as_name": "Name the network of an address",
    ]
  )

  static let me = Command(
    summary: "Find this machine's public address and look it up",
    description: "Asks ipify.org for the public address of this machine, then looks it up.",
    operands: .none,
    sends: true,
    examples: ["sonde me": "Show who and where this machine is to the Internet"]
  )

  static let check = Command(
    summary: "Validate the inputs without using the network",
    description: """
      Reads the inputs as scan does and writes one record per entry, with the reason and, where \
      the intent is plain, the correction for each invalid one. Sends nothing. The exit status \
      is 1 if any entry is invalid.
      """,
    operands: .inputs,
    examples: [
      "sonde check addresses.txt": "See what a scan would make of a list",
      "sonde check list.txt --rejects bad.ndjson > good.ndjson": "Keep the invalid entries apart",
    ]
  )

  static let plan = Command(
    summary: "Estimate the requests of a scan without sending any",
    description: """
      A dry run of scan: counts entries, distinct, cached, reserved and invalid ones, and says \
      for each provider how many requests are needed and how long they take under its quota. \
      Sends nothing.
      """,
    operands: .inputs,
    sends: true,
    examples: [
      "sonde plan addresses.txt": "Know how long a scan will take",
      "sonde plan --log access.log --provider ipinfo":
        "The same for the addresses of a log and another provider",
    ]
  )

  static let extract = Command(
    summary: "Print every address found in free text",
    description: """
      Prints every occurrence of an address in the text, in its canonical form, one a line, in \
      order; of a capture of packets (pcap, pcapng), the source and destination of each. Without \
      a FILE, or when FILE is -, reads stdin.
      """,
    operands: .files,
    examples: [
      "sonde extract --unique /var/log/auth.log": "List the addresses of a log, each once",
      "sonde extract access.log | sort | uniq -c | sort -rn | head": "Count the most frequent ones",
    ]
  )

  static let annotate = Command(
    summary: "Copy a log with each line enriched in place",
    description: """
      Copies text, line by line and byte for byte, and inserts after each address what is \
      known about it: 8.8.8.8 [US, Mountain View, AS15169 Google LLC]. With --style json, lines \
      that are JSON objects gain a member; with --style columns, CSV and TSV files gain columns; with \
      --style end, the line keeps its own columns. --where keeps only some of the lines. \
      Each address is requested once per run. From a pipe each line is written as soon as it and all \
      lines before it are known. Without a FILE, or when FILE is -, reads stdin; several are written one after another. Files may \
      be compressed with gzip, zstd, xz or bzip2.
      """,
    operands: .files,
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde annotate access.log -o annotated.log": "Enrich yesterday's log",
      "tail -F access.log | sonde annotate --wait 2s":
        "Watch a log, no line later than two seconds",
      "sonde annotate --provider local --only-matching auth.log | less":
        "Read the lines with an address, and send none of them",
      "sonde annotate --style json app.jsonl | jq .sonde":
        "Show what is known of the addresses in JSON lines",
      "sonde annotate --style columns --column client hits.csv -o known.csv": "Enrich a table",
      "sonde annotate --fields none --where 'country_code = DE' access.log":
        "Print the lines with an address in Germany",
    ]
  )

  static let upgrade = Command(
    summary: "Look up rows again that lack a good answer",
    description: """
      Reads RECORDS, as scan writes them (CSV or TSV with a header, NDJSON, a JSON array, or an \
      SQLite database, which needs --output; - is stdin), \
      and writes them again in the same form and order. The first of the providers, and no other, \
      is asked for the rows that a local database (source libloc or mmdb) or one of the further \
      providers answered, that failed or that were lost (network_lost). Only rows that get an answer \
      change; all others are copied. CSV, TSV and SQLite keep their columns; JSON records get those of \
      --fields, as with scan. If --output is the same file, a new one is written beside it and replaces \
      it at the end, even of an interrupted run (a database is changed in place): the same command \
      then resumes. Exit status 1, 3 or 4 means that some rows got no answer.
      """,
    operands: Operands(
      text: "RECORDS",
      needed: "a file of records, or -",
      minimum: 1,
      maximum: 1,
      completion: .files
    ),
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde upgrade out.csv -o out.csv":
        "Complete the records of a scan whose provider was unavailable",
      "sonde upgrade out.ndjson --provider ipinfo --max-requests 900 -o out.ndjson":
        "Ask another provider, as much as today's quota allows",
    ]
  )

  static let compare = Command(
    summary: "Ask several sources, and see whom to believe",
    description: """
      Asks every source about every address of the inputs, each within its own quota, all at once, and \
      writes one record each: the country that most of them name, their agreement, the distance between \
      the places farthest apart, how far that can be believed, and what each source says. The sources \
      are the providers; local is one for each --database. INPUT is as for scan. What was answered is \
      cached: after a stop, the same command goes on, and asks nobody twice.
      """,
    operands: .inputs,
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde compare list.txt -o compared.csv": "Ask the usual provider and the local database",
      "sonde compare list.txt --provider local --database geolite.mmdb --database dbip.mmdb":
        "Compare two databases, and send no address to anyone",
      "sonde compare list.txt --truth offices.csv --summary":
        "Find the source that is right most often about places that you know",
    ]
  )

  static let diff = Command(
    summary: "List the differences between two files of records",
    description: """
      Reads OLD and NEW, as scan writes them (CSV or TSV with a header, NDJSON, a JSON array or an \
      SQLite database, also compressed, in any two forms and any order; - is stdin), and writes a row \
      for each record that was added or removed, and one for each field that changed. Records pair by \
      ip, the nth with the nth of the same; fields by name. Numbers compare as numbers. The exit \
      status is 0 for no difference, 1 for any, and 5 for a file that cannot be read.
      """,
    operands: Operands(
      text: "OLD NEW",
      needed: "two files of records, OLD and NEW",
      minimum: 2,
      maximum: 2,
      completion: .files
    ),
    examples: [
      "sonde diff monday.csv tuesday.csv": "See what has changed since yesterday",
      "sonde diff old.csv new.ndjson --fields country_code,asn --summary":
        "Count the addresses that moved to another country or network",
    ]
  )

  static let summary = Command(
    summary: "Summarise the addresses in logs or records as tables",
    description: """
      Counts the addresses and hits of records as scan writes them (CSV, TSV, NDJSON, JSON or SQLite, \
      recognised by their content) or of anything else as a log, whose addresses are looked up as by scan: \
      by country, network, city, status, source, address, and hour or day where lines have a time. \
      Without a FILE, or when FILE is -, reads stdin. Ctrl-C prints the summary so far.
      """,
    operands: .files,
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde summary --provider local /var/log/nginx/access.log":
        "See who was there, without sending any address",
      "sonde summary access.log --html visitors.html --title Visitors":
        "Make a page to send to a colleague, beside the tables",
      "sonde summary access.log --since 7d --top 20 -o week.csv":
        "Keep the tables of the last seven days, with twenty rows each",
      "sonde summary visitors.csv --tables country,network":
        "Count the records of an earlier scan, asking nobody",
    ]
  )

  static let block = Command(
    summary: "Choose networks to block, and see what that costs",
    description: """
      Counts the bad and the good hits of logs, captures or records, as summary reads them, and prints \
      the smallest set of networks that covers the bad ones and spares the good ones: with the fewest \
      rules, then the fewest good hits. It applies nothing. Where the limits cannot be met it covers what \
      it can, and the exit status is 1.
      """,
    operands: .files,
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde block attack.log --bad ip --format table":
        "See which networks an attack came from, and how many rules stop it",
      "sonde block auth.log --bad 'ip in @attackers.txt' --never office.txt -o block.nft":
        "Stop known attackers, but never the office, by a file for nft -f",
      "sonde block access.log --bad 'country_code = CN' --provider local --collateral 0%":
        "Touch nobody else, and send no address to anyone",
    ]
  )
}
