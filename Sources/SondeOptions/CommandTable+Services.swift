/// The rows of the commands that run on their own or maintain Sonde's own files.
extension Command {
  static let `guard` = Command(
    summary: "Raise alerts when hits in logs meet a condition",
    description: """
      Follows logs as tail -F does, and raises an alert where hits of an address, or of what --by \
      names, meet a condition: with the Nth of them in a time, with a value that the key did not have \
      before, or after a travel that is too fast. Where a line has no time, it has that of the line \
      before. A FILE with * or ? that names none is a pattern. Without a FILE, or when FILE is -, \
      reads stdin to its end.
      """,
    operands: .files,
    sends: true,
    showsExitStatuses: true,
    examples: [
      "sonde guard auth.log --when 'text ~ \"*Failed*\"' --count 20 --name ssh --webhook https://ntfy.sh/mine":
        "Raise an alert for each address that tries many passwords",
      "sonde guard --replay auth.log --when 'text ~ \"*Failed password*\"' --count 20":
        "See which addresses tried many passwords",
      "sonde guard --replay access.log* --when 'country_code = CN' --count 100 --provider local":
        "Try a condition on old logs, and send no address to anyone",
    ]
  )

  static let watch = Command(
    summary: "Report every change of the network as it happens",
    description: """
      Watches the path to an endpoint, by default the provider's, and prints an event when the \
      network is lost, when it is back, and when an interface changes; first the state at the \
      start. It is not misled by Docker bridges, idle VPNs or login pages, and says which layer \
      broke: no_interface, link_down, no_address, no_route, unreachable or captive_portal. \
      With --degraded, it also says when an open path is lossy or slow. \
      Needs no privileges. Every change of the state can raise alerts; an online first state \
      raises none, unless the last watch ended offline or degraded. What is seen is kept for \
      'sonde outages'. SIGINT and SIGTERM end it with 0.
      """,
    operands: .none,
    examples: [
      "sonde watch": "See what happens to the network",
      "sonde watch --settle 5s --exec ./alert.sh":
        "Run a command at each loss and return that lasts",
      "sonde watch --once --quiet > /dev/null && sonde scan list.txt -o out.csv":
        "Scan only while the path to the provider is open",
      "sonde watch --endpoint a.example --endpoint b.example --degraded loss=20%":
        "Watch two hosts, and see when neither can be reached well",
    ]
  )

  static let outages = Command(
    summary: "List the outages of the network, and how available it was",
    description: """
      Shows what watch and serve have kept of the network: each outage that touches the time asked \
      for, by default the last 30 days, and for each endpoint the time watched, the availability, \
      and the longest and mean outage. Only watched time counts; what several programs watched at \
      once counts once. Where the end of an outage was not seen, it is the last sign of life of \
      the program that watched, and the length is the least it can be. Nothing is asked of anybody.
      """,
    operands: .none,
    examples: [
      "sonde outages": "See the outages of the last 30 days",
      "sonde outages --since 2026-10-01 --until 2026-11-01 --html october.html --title October":
        "Make a page to send to the provider, beside the tables",
      "sonde outages --format json | jq '.summaries[].availability'": "Name the availability",
    ]
  )

  static let status = Command(
    summary: "Explain the state of the network, layer by layer",
    description: """
      Says what Sonde thinks of the network and why: interfaces, link, address, route, endpoint \
      and verdict. With --shared, that Redis counts, too: while it is gone, the cause is \
      shared_unreachable. The exit status is 0 when online and 3 when offline.
      """,
    operands: .none,
    examples: [
      "sonde status": "See why the provider cannot be reached",
      "sonde status --endpoint example.com:443 --format json | jq -r .cause":
        "Name the lowest broken layer on the path to another host",
    ]
  )

  static let cache = Command(
    summary: "Look into the cache of answers, and clean it",
    description: """
      Answers are kept from run to run, so that nothing is asked twice within a day. list prints \
      them all as records, the oldest first; show prints those of some addresses; delete removes \
      those; clear removes all; stats counts them, as one object with --format json; path says \
      where they lie. None of this asks any provider. The quotas that runs share lie apart, in \
      $XDG_STATE_HOME/sonde, and stay.
      """,
    operands: .word(of: CacheAction.allCases, needed: "to know what to do", then: "[ADDRESS...]"),
    examples: [
      "sonde cache stats": "See how much is kept",
      "sonde cache delete 1.1.1.1": "Have an address asked for anew",
      "sonde cache list --format csv > answers.csv": "Take all answers elsewhere",
    ]
  )

  static let quota = Command(
    summary: "Show what is left of each provider's quota, and forget it",
    description: """
      Runs share what they use of each provider's quota. list prints a row for each window: the \
      requests used and left, until when that holds, and why. reset forgets what is known of one \
      provider or registry, so that the next run asks at once, with one request alone; the \
      provider still counts what it has counted. Neither sends anything. The exit status is 2 if \
      nothing has that NAME.
      """,
    operands: .word(of: QuotaAction.allCases, needed: "to know what to do", then: "[NAME]"),
    examples: [
      "sonde quota list": "See what is left, and what is waited for",
      "sonde quota reset ip-api":
        "Forget a wait that a network's login page or proxy has asked for",
      "sonde quota list --shared redis://quota.example.net": "See what several machines share",
    ]
  )

  static let tables = Command(
    summary: "Add tables of networks, and fetch what others publish",
    description: """
      Lists of networks for --with: those of Amazon (aws), Google's cloud (gcp), Google itself \
      (google), Cloudflare and Tor's exits; and, once they are named, of iCloud Private Relay \
      (private_relay), Spamhaus (drop), the crawlers googlebot, bingbot and gptbot, GitHub, Fastly \
      and Oracle's cloud. And databases, which --provider local reads once they are fetched: geolite \
      (MaxMind's, with an account and its key), dbip (DB-IP's) and ipinfo_lite (IPinfo's, with a \
      token). add NAME fetches a table from an https:// URL, or remembers a FILE, so that \
      --with NAME stands for it; ,key=COLUMN and ,columns=A,B may follow as in --with. remove removes \
      it and its copy, and of a published list the copy. update fetches those that have changed, all \
      or the ones named; list says how many networks they have and when they were fetched; show adds \
      their columns. None comes with Sonde. A new list that is empty, is HTML, has under half the networks of the former one or \
      over 1 % odd lines does not replace it, nor does a database of another type or an earlier day: \
      this is reported, and the exit status is 1. \
      The lists lie in $XDG_STATE_HOME/sonde/tables.
      """,
    operands: .word(of: TablesAction.allCases, needed: "to know what to do", then: "[NAME...]"),
    examples: [
      "sonde tables add corp https://nets.example.net/corp.csv": "Give a table a name for --with",
      "sonde tables update": "Fetch all, as from a daily timer",
      "sonde tables list": "See their ages",
      "sonde tables update drop": "Fetch one that is not fetched otherwise",
      "sonde tables update dbip": "Fetch a database of cities for --provider local",
      "sonde annotate --with aws --with tor access.log": "See who comes from there",
    ]
  )

  static let serve = Command(
    summary: "Serve a page for look-ups and scans, and its HTTP API",
    description: """
      Serves a page on this machine: look up an address and see it on a map, find this machine's \
      own, drop a list or a log on it and watch the scan, see the network and the cache, and, with \
      --follow, who is in a server's log at this moment. It \
      says on stderr where it listens, and prints a link on a terminal, which opens the page once, \
      within ten minutes; link asks the running server for another one. With --team, people log \
      in: the first link registers the admin, and user list, invite, reset, disable, enable and \
      remove look after the accounts of the running server. Scans are resumed when it is started \
      again, however it ended. SIGINT and SIGTERM end it with 0.
      """,
    operands: Operands(
      text: "[link|user ACTION [EMAIL]]",
      maximum: 3,
      completion: .words(ServeOperand.allCases.map(\.rawValue)),
      following: [ServeOperand.user.rawValue: UserAction.allCases.map(\.rawValue)]
    ),
    sends: true,
    examples: [
      "sonde serve": "Serve the page, and print the link that opens it",
      "sonde serve link": "Print another link, for example for a service",
      "sonde serve --public-url https://example.org/sonde/ --behind-proxy 127.0.0.1":
        "Serve it behind a web server on this machine",
      "sonde serve --follow /var/log/nginx/access.log": "Show live who is in a log",
      "sonde serve user invite": "Print a link to register by, with --team",
    ]
  )

  static let completions = Command(
    summary: "Print a completion script for a shell",
    description: "Prints a script that completes commands, options and their values.",
    operands: .word(of: Shell.allCases, needed: "the name of a shell"),
    examples: [
      "source <(sonde completions bash)":
        "In ~/.bashrc; for zsh the same, in ~/.zshrc after compinit",
      "sonde completions fish > ~/.config/fish/completions/sonde.fish": "Once, for fish",
    ]
  )

  static let help = Command(
    summary: "Show the manual page of the program, or of a command",
    description: """
      Shows the words of sonde(1), or of the page of a COMMAND, such as sonde-scan(1); \
      'sonde COMMAND --help' is shorter.
      """,
    operands: Operands(
      text: "[COMMAND]",
      maximum: 1,
      completion: .words(CommandName.allCases.map(\.rawValue))
    ),
    examples: [
      "sonde help scan": "Show everything that scan can do",
      "sonde help --man scan | man -l -": "Show it as man does",
    ]
  )
}
