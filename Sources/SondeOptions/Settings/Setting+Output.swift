import SondeCatalog
import SondeProviders
import SondeRecords
import SondeSummary

extension Setting {
  static let output: [Setting] = [
    Setting(
      name: "output",
      short: "o",
      commands: .shaping + [.compare, .diff, .extract, .summary, .block, .outages],
      value: .one(.output, \.output),
      standard: "stdout",
      summary: "Write to FILE"
    ),
    Setting(
      name: "output",
      short: "o",
      commands: [.annotate],
      value: .one(.output, \.output),
      standard: "stdout",
      summary: "Write to FILE, which changes only when all is done",
      details: """
        Until then the output is in FILE.partial, which remains after an interruption. The endings .gz \
        and .zst compress.
        """
    ),
    Setting(
      name: "style",
      commands: [.annotate],
      value: .one(.choice("STYLE"), \.style),
      standard: Options().style.rawValue,
      summary: "Insert as \(Form<AnnotateStyle>.choice("STYLE").accepted)",
      details: """
        brackets: after each address; json: as the last member of each line that is a JSON object, \
        about strings that are as a whole an address; columns: as new columns of CSV or TSV with a header; \
        end: after a tab at the end of the line, once for each of its addresses.
        """
    ),
    Setting(
      name: "key",
      commands: [.annotate],
      value: .one(.key, \.key),
      standard: Options().key,
      summary: "json: give the member this name",
      details: "A line that has it already goes out as it came."
    ),
    Setting(
      name: "inside",
      commands: [.annotate],
      value: .flag(\.inside),
      summary: "json: also find addresses within other strings",
      details: "Such a string gets an array of records, one for each distinct address in it."
    ),
    Setting(
      name: "column",
      commands: [.annotate],
      value: .many(.column, \.columns),
      summary: "columns: find the addresses in this column",
      details: "By default ip, else the only one with an address in the first row."
    ),
    Setting(
      name: "delimiter",
      commands: [.annotate],
      value: .one(.delimiter, \.delimiter),
      summary: "columns: the separator of cells",
      details: "By default tab, comma or semicolon, whichever the header has most of."
    ),
    Setting(
      name: "count",
      commands: [.extract],
      value: .flag(\.count),
      summary: "Print how many lines there would be, for each FILE"
    ),
    Setting(
      name: "with-filename",
      commands: [.extract],
      value: .flag(\.withFilename),
      summary: "Begin each line with the name of its FILE and a colon",
      details: "By default only where --count has several."
    ),
    Setting(
      name: "resume",
      commands: [.scan],
      value: .flag(\.resume),
      summary: "Resume an interrupted output file",
      details: "With --output: no record is lost, doubled or changed."
    ),
    Setting(
      name: "format",
      commands: .recording + [.compare],
      value: .one(.format, \.format),
      summary: "Write \(Form<Format>.format.accepted)",
      details: """
        By default as the ending of the output file says, else table on a terminal and ndjson in \
        a pipe. sqlite needs --output.
        """
    ),
    Setting(
      name: "format",
      commands: [.summary, .outages],
      value: .one(.summaryFormat, \.summaryFormat),
      summary: "Write \(alternatives(SummaryFormat.allCases.map(\.rawValue)))",
      details: "By default as the ending of the output file says, else table."
    ),
    Setting(
      name: "top",
      commands: [.summary],
      value: .one(.count(0...Int.max), \.top),
      standard: "10",
      summary: "Show the first N rows of each table, but all of hour and day",
      details: "0 means all."
    ),
    Setting(
      name: "tables",
      commands: [.summary],
      value: .one(.tables, \.tables),
      standard: "all that have data",
      summary: "Show these tables",
      details: """
        \(alternatives(SummaryTable.Kind.allCases.map(\.rawValue))), with commas between them; or \
        none.
        """
    ),
    Setting(
      name: "by",
      commands: [.summary],
      value: .many(.groupedFields, \.by),
      summary: "Count the combinations of these fields, in a table of their own",
      details: """
        Fields of records, also those of --with; hour, day, hour_of_day and weekday in --time-zone; input. \
        Where each --by has ip, and there is no --tables and no --html, only the addresses of the rows \
        that are shown are asked about.
        """
    ),
    Setting(
      name: "html",
      commands: [.summary],
      value: .one(.path, \.html),
      summary: "Write a page for a browser to FILE, too",
      details: """
        With a map, all countries, networks and cities, and the first 1,000 addresses. FILE ends in \
        .html; an earlier one is replaced only by a page of the whole inputs.
        """
    ),
    Setting(
      name: "html",
      commands: [.outages],
      value: .one(.path, \.html),
      summary: "Write a page for a browser to FILE, too",
      details: "With a timeline, and tables of outages, causes and hours. FILE ends in .html."
    ),
    Setting(
      name: "title",
      commands: [.outages],
      value: .one(.title, \.title),
      standard: "Outages",
      summary: "Title of the page and the table"
    ),
    Setting(
      name: "title",
      commands: [.summary],
      value: .one(.title, \.title),
      standard: "the names of the inputs",
      summary: "Title of the page and the table"
    ),
    Setting(
      name: "format",
      commands: [.watch, .guard],
      value: .one(.choice("FORMAT"), \.watchFormat),
      summary: "Write text or ndjson",
      details: "By default text on a terminal and ndjson in a pipe."
    ),
    Setting(
      name: "format",
      commands: [.status],
      value: .one(.choice("FORMAT"), \.statusFormat),
      standard: "text",
      summary: "Write text or json"
    ),
    Setting(
      name: "format",
      commands: [.quota],
      value: .one(.choice("FORMAT"), \.quotaFormat),
      summary: "Write a table or ndjson",
      details: "By default a table on a terminal, else ndjson."
    ),
    Setting(
      name: "format",
      commands: [.tables],
      value: .one(.choice("FORMAT"), \.tablesFormat),
      summary: "Write text or ndjson",
      details: "By default text on a terminal, else ndjson."
    ),
    Setting(
      name: "fields",
      commands: .shaping,
      value: .one(.fields, \.fields),
      summary: "Show these fields, in this order",
      details: "+NAME adds one to the usual ones; --fields\u{a0}help lists all."
    ),
    Setting(
      name: "fields",
      commands: [.annotate],
      value: .one(.fieldsOrNone, \.fields),
      summary: "Insert these fields, in this order",
      details: """
        +NAME adds one to the usual ones; --fields\u{a0}help lists all. none: insert nothing, and make \
        only the requests that --where needs (brackets, end).
        """
    ),
    Setting(
      name: "with",
      commands: [
        .scan, .lookup, .check, .plan, .annotate, .upgrade, .summary, .block, .guard, .serve,
      ],
      value: .many(.source, \.with),
      summary: "Add the columns of a SOURCE beside the answers",
      details: """
        NAME=FILE, for any NAME, is a table of networks or ranges (CSV, TSV, a list, a geofeed, JSON), a \
        table of AS numbers or an MMDB: NAME_network is the smallest network that holds the address, \
        and NAME_COLUMN its values. key=COLUMN and columns=A,B behind FILE choose columns. aws, gcp, google, cloudflare and tor are \
        lists that 'sonde tables update' fetches; azure=FILE is Azure's file of service tags. names \
        asks reverse DNS: ptr are the names, those confirmed by a forward query first. owner asks the \
        registries for the owner of the network and its contact for abuse. crawler says whether an \
        address is a crawler's, or its line only claims that: by fetched lists, and by reverse DNS.
        """
    ),
    Setting(
      name: "owner-reuse",
      commands: .askingMany + [.plan],
      value: .one(.choice("WHICH"), \.ownerReuse),
      standard: "24",
      summary: "Reuse an owner for other addresses of its network",
      details: """
        24: those that are also in the same /24, or of IPv6 in the same /48. range: all of them. none: \
        every address is requested. Reused owners are marked owner_inferred.
        """
    ),
    Setting(
      name: "resolver",
      group: .network,
      commands: .askingMany + [.plan],
      value: .one(.resolver, \.resolver),
      standard: "those of /etc/resolv.conf",
      summary: "Send DNS queries to this server",
      details: "A public server gets at most 500 queries a second."
    ),
    Setting(
      name: "private-names",
      group: .network,
      commands: .askingMany + [.plan],
      value: .flag(\.privateNames),
      summary: "Look up names of private addresses, too"
    ),
    Setting(
      name: "where",
      commands: [.scan, .lookup, .check, .plan, .summary],
      value: .one(.condition, \.condition),
      summary: "Keep only entries for which EXPR is true",
      details: """
        FIELD alone (it has a value), FIELD = VALUE, also !=, <, <=, > and >=, FIELD ~ "*PART*", \
        FIELD in (VALUE, VALUE), ip in (NETWORK) and ip in @FILE, joined by and, or, not and brackets. \
        No request is made for addresses that tables alone exclude.
        """,
      insteadOfTwice: "join both by 'and' in one"
    ),
    Setting(
      name: "where",
      commands: [.annotate],
      value: .one(.condition, \.condition),
      summary: "Keep only lines with an address for which EXPR is true",
      details: """
        FIELD alone (it has a value), FIELD = VALUE, also !=, <, <=, > and >=, FIELD ~ "*PART*", \
        FIELD in (VALUE, VALUE), ip in (NETWORK) and ip in @FILE, joined by and, or, not and brackets. \
        Lines without an address are excluded, lines that lack an answer are not. No request is made \
        for lines that tables alone exclude.
        """,
      insteadOfTwice: "join both by 'and' in one"
    ),
    Setting(
      name: "wait",
      commands: [.annotate],
      value: .one(.duration, \.wait),
      standard: "forever",
      summary: "Copy a line unchanged if its answers take longer",
      details:
        "For logs that grow. Counted from when the line is read. Does not affect the exit status."
    ),
    Setting(
      name: "only-matching",
      commands: [.annotate],
      value: .flag(\.onlyMatching),
      summary: "Drop lines without an address"
    ),
    Setting(
      name: "spreadsheet",
      commands: .shaping + [.compare, .diff, .annotate, .summary, .block],
      value: .flag(\.spreadsheet),
      summary: "Make CSV and TSV safe to open in a spreadsheet",
      details: "Text that could be taken for a formula gets a leading '."
    ),
    Setting(
      name: "unordered",
      commands: [.scan],
      value: .flag(\.unordered),
      summary: "Write each record as soon as it is known",
      details: "By default records keep the order of the input."
    ),
    Setting(
      name: "rejects",
      commands: [.scan, .check],
      value: .one(.path, \.rejects),
      summary: "Write the invalid records to FILE instead"
    ),
    Setting(
      name: "missing",
      commands: [.scan],
      value: .one(.path, \.missing),
      summary: "List the addresses left without an answer in FILE",
      details: "One per line, ready to be scanned again."
    ),
  ]
}

extension Form where Value == FieldSelection {
  fileprivate static let fields = Form(
    placeholder: "LIST",
    accepted: "field names with commas between them",
    completion: .list(Field.allCases.map(\.name))
  ) { text throws(ValueProblem) in try selection(text) }

  /// The same, or `none` for no field.
  fileprivate static let fieldsOrNone = Form(
    placeholder: "LIST",
    accepted: "none, or field names with commas between them",
    completion: .list(Field.allCases.map(\.name) + ["none"])
  ) { text throws(ValueProblem) in text == "none" ? .picked([]) : try selection(text) }

  private static func selection(_ text: String) throws(ValueProblem) -> FieldSelection {
    do {
      return try FieldSelection(text, adding: AddedSource.mayBeAdded)
    } catch {
      throw .because("\(error)")
    }
  }
}
