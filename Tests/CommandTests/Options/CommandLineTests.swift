import SondeCatalog
import SondeProviders
import Testing

@testable import SondeOptions
@testable import SondeRecords
@testable import sonde

@Suite struct CommandLineTests {
  @Test func `options and operands mix, before and after the command`() throws {
    let lines = [
      ["--format", "csv", "scan", "a", "-o", "x", "b"],
      ["scan", "a", "--format=csv", "b", "--output=x"],
      ["scan", "-ox", "a", "b", "--format", "csv"],
      ["scan", "--format", "csv", "--output", "x", "--", "a", "b"],
    ]
    for line in lines {
      let invocation = try invocation(line)
      #expect(invocation.command == .scan)
      #expect(invocation.operands == ["a", "b"])
      #expect(invocation.options.output == "x")
      #expect(invocation.options.format == .csv)
    }
  }

  @Test func `help names a command, or none, and is given with everything else broken`() throws {
    let broken = file("nonsense")
    for line in [["help"], ["help", "scan"], ["help", "help"]] {
      let invocation = try invocation(line, environment: ["SONDE_FORMAT": "x"], file: broken)
      #expect(invocation.command == .help && invocation.operands == Array(line.dropFirst()))
    }
  }

  @Test func `a q is quiet`() throws {
    #expect(try options("scan -q a").quiet)
    #expect(try options("scan -qo x a").output == "x")
  }

  @Test func `two dashes end the options`() throws {
    let invocation = try invocation(["scan", "--quiet", "--", "--strict", "-o", "--", "-"])
    #expect(invocation.operands == ["--strict", "-o", "--", "-"])
    #expect(invocation.options.quiet)
    #expect(!invocation.options.strict)
    #expect(invocation.options.output == nil)
  }

  @Test func `a single dash is an operand, and stdout as output`() throws {
    let invocation = try invocation(["scan", "-", "-o", "a", "-o", "-"])
    #expect(invocation.operands == ["-"])
    #expect(invocation.options.output == nil)
  }

  @Test func `of a repeated option the last wins, of a repeatable one all stay`() throws {
    let options = try options("scan --retries 1 --retries=7 --database a --database b")
    #expect(options.retries == 7)
    #expect(options.databases == ["a", "b"])
  }

  @Test func `values may hold equals signs, spaces and single dashes`() throws {
    let invocation = try invocation(["scan", "--output=a=b c", "--rejects", "-x", "--missing=--y"])
    #expect(invocation.options.output == "a=b c")
    #expect(invocation.options.rejects == "-x")
    #expect(invocation.options.missing == "--y")
  }

  @Test func `mistakes are told with the option and what is accepted`() {
    let table: [(String, String?)] = [
      ("", "no command is given"),
      ("--quiet", "no command is given"),
      ("scna x", "unknown command 'scna'; did you mean 'scan'?"),
      ("8.8.8.8", "unknown command '8.8.8.8'; did you mean 'sonde lookup 8.8.8.8'?"),
      ("frobnicate", "unknown command 'frobnicate'"),
      ("list.txt", "unknown command 'list.txt'; did you mean 'sonde scan list.txt'?"),
      ("./list", "unknown command './list'; did you mean 'sonde scan ./list'?"),
      ("8.8.8.0/24", "unknown command '8.8.8.0/24'; did you mean 'sonde scan 8.8.8.0/24'?"),
      ("help scna", "unknown command 'scna'; did you mean 'scan'?"),
      ("help scan me", "help does not take 'me'"),
      (
        "help --log",
        "--log is not an option of help (only of scan, check, plan, compare, summary, block)"
      ),
      ("scan -quiet", "unknown option '-quiet'; did you mean '--quiet'?"),
      ("scan -output x", "unknown option '-output'; did you mean '--output'?"),
      ("scan --bogus-thing", "unknown option '--bogus-thing'"),
      ("scan --formt=csv", "unknown option '--formt'; did you mean '--format'?"),
      ("scan --prov local", "unknown option '--prov'; did you mean '--provider'?"),
      ("extract --uniq", "unknown option '--uniq'; did you mean '--unique'?"),
      ("scan -x", "unknown option '-x'"),
      ("scan -f json", "unknown option '-f'; did you mean '--format'?"),
      ("scan --json", "unknown option '--json'; did you mean '--format json'?"),
      ("annotate --json", "unknown option '--json'; did you mean '--style json'?"),
      ("summary -n 5", "unknown option '-n'; did you mean '--top'?"),
      ("summary --limit 5", "unknown option '--limit'; did you mean '--top'?"),
      ("extract -n 5", "unknown option '-n'"),
      ("scan --unordered=yes", "--unordered takes no value"),
      ("scan --output", "--output needs a value: expected a file name, or - for stdout"),
      ("scan -o", "-o needs a value: expected a file name, or - for stdout"),
      ("scan --output --strict", "--output needs a value: expected a file name, or - for stdout"),
      ("scan --rejects=", "--rejects needs a value: expected a file name"),
      ("scan --format=xml", "bad value 'xml' for --format: expected \(Form.format.accepted)"),
      ("watch --format=csv", "bad value 'csv' for --format: expected text or ndjson"),
      ("--format json watch", "bad value 'json' for --format: expected text or ndjson"),
      ("status --format ndjson", "bad value 'ndjson' for --format: expected text or json"),
      (
        "watch --endpoint a/b",
        """
        bad value 'a/b' for --endpoint: expected a host name or address, with or without a port
        """
      ),
      (
        "watch --metrics ::0",
        """
        bad value '::0' for --metrics: expected a host name or address and a port, such as \
        127.0.0.1:9477
        """
      ),
      ("watch --metrics [::1]:0 --endpoint ::1 --settle 5s --probe 0", nil),
      ("scan --duplicates all", "bad value 'all' for --duplicates: expected first or keep"),
      ("scan --color=yes", "bad value 'yes' for --color: expected auto, always or never"),
      ("scan --unique", "--unique is not an option of scan (only of extract)"),
      (
        "--provider local check",
        """
        --provider is not an option of check (only of scan, lookup, me, plan, annotate, upgrade, \
        compare, summary, block, guard, watch, status, serve)
        """
      ),
      ("lookup", "lookup needs an address"),
      ("me 1.1.1.1", "me does not take '1.1.1.1'"),
      ("completions", "completions needs the name of a shell: bash, zsh or fish"),
      ("completions bash zsh", "completions does not take 'zsh'"),
      ("completions tcsh", "bad value 'tcsh' for completions: expected bash, zsh or fish"),
      (
        "completions --quiet bash",
        """
        --quiet is not an option of completions (only of scan, lookup, me, check, plan, extract, \
        annotate, upgrade, compare, diff, summary, block, guard, watch, outages, status, cache, quota, \
        tables, serve)
        """
      ),
      ("scan --ip-api-url http://x", "--ip-api-url is not an option; set SONDE_IP_API_URL instead"),
      // The leftmost mistake is the one told.
      ("scan --bogus --format=xml", "unknown option '--bogus'"),
      ("scan", nil),
      ("check -", nil),
    ]
    #expect(differences(table) { complaint($0) } == [])
  }

  @Test func `an empty value is none`() {
    #expect(complaint(["scan", "--events", ""]) == "--events needs a value: expected a file name")
    #expect(complaint(["scan", ""]) == nil)
  }

  @Test func `a long value is cut in the message`() throws {
    let message = try #require(
      complaint(["scan", "--retries=" + String(repeating: "x", count: 999)])
    )
    #expect(message.hasPrefix("bad value 'xxx"))
    #expect(message.count < 150)
  }

  @Test func `a key on the command line is refused without being shown`() throws {
    for line in ["scan --ip-api-key=s3cret", "me --ipinfo-token s3cret"] {
      let message = try #require(complaint(line))
      #expect(message.contains("is not taken from the command line"))
      #expect(message.contains("SONDE_IP"))
      #expect(!message.contains("s3cret"))
    }
  }

  @Test func `a mistake knows the command whose help to read`() {
    #expect(throws: UsageError("unknown option '-x'", command: .scan)) { try request("-x scan") }
    let usage = "Usage: sonde scan [OPTION...] [INPUT...]\n"
    #expect(UsageError("", command: .scan).advice == usage + "Try 'sonde scan --help'.")
    #expect(UsageError("").advice == "Try 'sonde --help'.")
  }

  @Test func `help and version are answered whatever else is wrong`() throws {
    let table: [(String, CommandRequest)] = [
      ("--help", .help(nil)),
      ("-h", .help(nil)),
      ("scan -h", .help(.scan)),
      ("--help scan", .help(.scan)),
      ("lookup --help", .help(.lookup)),
      ("scan --bogus --format=xml --help", .help(.scan)),
      ("scan --output --help", .help(.scan)),
      ("bogus --help", .help(nil)),
      ("--version", .version),
      ("-V", .version),
      ("scan --version --help", .version),
      ("-hV", .help(nil)),
    ]
    let broken = ConfigurationFile(path: "/h/config", contents: .unreadable("gone"))
    let wrong = table.filter { line, expected in
      let arguments = line.split(separator: " ").map(String.init)
      let actual = try? request(arguments, environment: ["SONDE_BOGUS": "1"], file: broken)
      return actual != expected
    }
    #expect(wrong.map(\.0) == [])
  }

  @Test func `help after two dashes is an operand`() throws {
    #expect(try invocation(["scan", "--", "--help"]).operands == ["--help"])
  }

  @Test func `the fields are listed only when asked for by themselves`() throws {
    #expect(try request("scan --fields help") == .fieldsHelp)
    #expect(try request("lookup --fields=help") == .fieldsHelp)
    #expect(try options("scan --fields ip,asn").fields == .picked([.ip, .asn]))
    let mixed = try #require(complaint("scan --fields ip,help"))
    #expect(mixed.contains("for --fields: there is no column"))
    #expect(complaint("extract --fields help") != nil)
    #expect(try request("scan --fields help --format csv") == .fieldsHelp)
    let described = try request("scan --format json --with names --fields help")
    guard case .fieldsDescription(let invocation) = described else {
      Issue.record("\(described)")
      return
    }
    #expect(invocation.options.with.map(\.source.name) == ["names"])
    #expect(complaint("scan --fields help --format json --with no-body") != nil)
  }

  @Test func `defaults are those of the contract`() throws {
    let scan = try options("scan")
    #expect(scan == Options())
    #expect(scan.providers == [.ipAPI, .local])
    #expect(scan.timeout == .seconds(10))
    #expect(scan.offlineTimeout == nil)
    #expect(scan.duplicates == .first)
  }
}
