@testable import SondeOptions
@testable import sonde

/// The help texts, letter by letter: scripts and people rely on what they say.
enum HelpSnapshot {
  static let overview = #"""
    Sonde tells who and where the addresses of a list or a log are. It keeps to the
    quotas of its providers, and never loses, repeats or invents a record.

    Usage: sonde COMMAND [OPTION...] [OPERAND...]

    Commands:
      scan [INPUT...]            Enrich every address of the inputs, one record each
      lookup ADDRESS...          Show what is known of a few addresses
      me                         Find this machine's public address and look it up
      check [INPUT...]           Validate the inputs without using the network
      plan [INPUT...]            Say how many requests a scan needs, and send none
      extract [FILE...]          Print every address found in free text
      annotate [FILE...]         Copy a log with each line enriched in place
      upgrade RECORDS            Ask again for rows a fallback or nobody answered
      summary [FILE...]          Say who was in logs or records, as tables
      watch                      Report every change of the network as it happens
      status                     Explain the state of the network, layer by layer
      cache list|show|delete|clear|stats|path [ADDRESS...]
                                 Look into the cache of answers, and clean it
      quota list|reset [NAME]    Show what is left of each provider's quota, and
                                 forget it
      tables update|list [NAME...]
                                 Fetch the lists of networks that clouds and Tor
                                 publish
      serve [link|user ACTION [EMAIL]]
                                 Serve a page for look-ups and scans, and its HTTP
                                 API
      completions bash|zsh|fish  Print a completion script for a shell
      help [COMMAND]             Show the manual page of the program, or of a
                                 command

    Options:
          --man      Write the page in the language of man, man(7)
      -h, --help     Show this help
      -V, --version  Show the version

    Each command has more: see 'sonde COMMAND --help'.

    Examples:
      sonde scan addresses.txt -o addresses.csv
          Enrich a list into a CSV file
      sonde scan --log access.log --provider local
          Enrich the addresses of a log without sending any of them
      sonde lookup 1.1.1.1 2606:4700:4700::1111
          Look up two addresses

    Configuration:
      Every long option can also be set in the environment (SONDE_TIMEOUT=5s,
      SONDE_STRICT=1) and in two files: the system's, /etc/sonde/config, and yours,
      $XDG_CONFIG_HOME/sonde/config, by default ~/.config/sonde/config (lines such
      as 'timeout = 5s' and 'strict = true'). The command line wins, then the
      environment, then your file, then the system's. Keys and tokens are never
      taken from the command line. A file that holds a key must be readable by you
      alone (chmod 600); /etc/sonde/config must belong to root and may be readable
      by one group (chmod 640).

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_TABLES_URL          Base URL of a mirror of the lists, whose hosts begin
                                the paths
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Exit status:
      0      every valid address was answered
      1      some addresses failed, or not one entry was valid (with --strict: or
             some were invalid)
      2      wrong usage or configuration
      3      addresses were left without an answer because the network was lost
      4      the provider refused for good: bad key, banned, quota of the day spent
      5      an input or output could not be read or written
      128+N  ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143

    """#
  static let commands: [CommandName: String] = [
    .scan: #"""
    Asks the providers for every address of the inputs and writes one record each,
    in the order of the input, while it is still being read. An INPUT is a file, a
    literal address, a CIDR block or a range, or - for stdin, which is also read
    when it is piped and no INPUT is given. Files may be compressed with gzip, zstd,
    xz or bzip2. A list holds one item per line; blank lines and # comments are
    fine. Captures of packets (pcap, pcapng) are known by their content.

    Usage: sonde scan [OPTION...] [INPUT...]

    Input:
          --log                   Find addresses anywhere in the text. Also in
                                  brackets, quotes and URLs or with a port. By
                                  default a line holds one item.
          --pcap                  Read every file as a capture of packets. By
                                  default those that are one by their content (pcap,
                                  pcapng), also compressed.
          --duplicates WHICH      Answer each address once (first), or at every
                                  occurrence (keep) [default: first]
          --max-expand N          Refuse a block or range of more than N addresses
                                  [default: 65536]
          --strict                Exit with 1 if any entry was invalid
          --range RANGE           Read the lines that begin in these bytes of one
                                  regular file. OFFSET:LENGTH, in bytes or with k, m
                                  or g; without a LENGTH to the end. scan and check
                                  take it with --log.

    Output:
      -o, --output FILE           Write to FILE [default: stdout]
          --resume                Go on with an output file that was interrupted.
                                  With --output: no record is lost, doubled or
                                  changed.
          --format FORMAT         Write csv, tsv, ndjson, json, geojson, sqlite or
                                  table. By default as the ending of the output file
                                  says, else table on a terminal and ndjson in a
                                  pipe. sqlite needs --output.
          --fields LIST           Show these fields, in this order. +NAME adds one
                                  to the usual ones; --fields help lists all.
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --owner-reuse WHICH     Take an owner for the other addresses of its
                                  network, too. 24: those that are also in the same
                                  /24, or of IPv6 in the same /48. range: all of
                                  them. none: every address is asked about. What was
                                  not asked about says owner_inferred. [default: 24]
          --where EXPR            Leave out the entries of which EXPR is not so.
                                  FIELD alone (it has a value), FIELD = VALUE, also
                                  !=, <, <=, > and >=, FIELD ~ "*PART*", FIELD in
                                  (VALUE, VALUE), ip in (NETWORK) and ip in @FILE,
                                  joined by and, or, not and brackets. What tables
                                  alone make false is never asked about.
          --spreadsheet           Make CSV and TSV safe to open in a spreadsheet.
                                  Text that could be taken for a formula gets a
                                  leading '.
          --unordered             Write each record as soon as it is known. By
                                  default records keep the order of the input.
          --rejects FILE          Write the invalid records to FILE instead
          --missing FILE          List the addresses left without an answer in FILE.
                                  One a line, ready to be scanned again.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --concurrency N         Keep at most N requests under way [default: 8]
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --resolver HOST[:PORT]  Ask this server for names. One with a public
                                  address gets at most 500 questions a second.
                                  [default: those of /etc/resolv.conf]
          --private-names         Ask for the names of private addresses, too

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Examples:
      sonde scan addresses.txt -o addresses.csv
          Enrich a list into a CSV file
      sonde scan list.txt -o places.geojson
          Put every place on a map
      sonde scan --log access.log --provider local
          Enrich the addresses of a log without sending any of them
      sonde scan list.txt -o out.csv --resume
          Go on where an interrupted scan stopped
      sonde scan list.txt --missing left.txt > out.ndjson
          Keep the addresses left without an answer, to scan them again

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    Exit status:
      0      every valid address was answered
      1      some addresses failed, or not one entry was valid (with --strict: or
             some were invalid)
      2      wrong usage or configuration
      3      addresses were left without an answer because the network was lost
      4      the provider refused for good: bad key, banned, quota of the day spent
      5      an input or output could not be read or written
      128+N  ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143

    """#,
    .lookup: #"""
    Looks up each ADDRESS and lays the answers out for a person; in a pipe they are
    NDJSON, as from scan.

    Usage: sonde lookup [OPTION...] ADDRESS...

    Input:
          --strict                Exit with 1 if any entry was invalid

    Output:
      -o, --output FILE           Write to FILE [default: stdout]
          --format FORMAT         Write csv, tsv, ndjson, json, geojson, sqlite or
                                  table. By default as the ending of the output file
                                  says, else table on a terminal and ndjson in a
                                  pipe. sqlite needs --output.
          --fields LIST           Show these fields, in this order. +NAME adds one
                                  to the usual ones; --fields help lists all.
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --owner-reuse WHICH     Take an owner for the other addresses of its
                                  network, too. 24: those that are also in the same
                                  /24, or of IPv6 in the same /48. range: all of
                                  them. none: every address is asked about. What was
                                  not asked about says owner_inferred. [default: 24]
          --where EXPR            Leave out the entries of which EXPR is not so.
                                  FIELD alone (it has a value), FIELD = VALUE, also
                                  !=, <, <=, > and >=, FIELD ~ "*PART*", FIELD in
                                  (VALUE, VALUE), ip in (NETWORK) and ip in @FILE,
                                  joined by and, or, not and brackets. What tables
                                  alone make false is never asked about.
          --spreadsheet           Make CSV and TSV safe to open in a spreadsheet.
                                  Text that could be taken for a formula gets a
                                  leading '.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --concurrency N         Keep at most N requests under way [default: 8]
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --resolver HOST[:PORT]  Ask this server for names. One with a public
                                  address gets at most 500 questions a second.
                                  [default: those of /etc/resolv.conf]
          --private-names         Ask for the names of private addresses, too

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Examples:
      sonde lookup 1.1.1.1 2606:4700:4700::1111
          Look up two addresses
      sonde lookup 9.9.9.9 | jq -r .as_name
          Name the network of an address

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    """#,
    .me: #"""
    Asks ipify.org for the public address of this machine, then looks it up.

    Usage: sonde me [OPTION...]

    Output:
      -o, --output FILE           Write to FILE [default: stdout]
          --format FORMAT         Write csv, tsv, ndjson, json, geojson, sqlite or
                                  table. By default as the ending of the output file
                                  says, else table on a terminal and ndjson in a
                                  pipe. sqlite needs --output.
          --fields LIST           Show these fields, in this order. +NAME adds one
                                  to the usual ones; --fields help lists all.
          --spreadsheet           Make CSV and TSV safe to open in a spreadsheet.
                                  Text that could be taken for a formula gets a
                                  leading '.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY       Key of ip-api; switches to its pro endpoint, over HTTPS
                             (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN     Token of ipinfo and ipinfo-lite (in the file:
                             ipinfo-token)
      SONDE_SHARED_PASSWORD  Password of the Redis that --shared names (in the file:
                             shared-password)
      SONDE_IP_API_URL       Base URL instead of ip-api's own
      SONDE_IPINFO_URL       Base URL instead of ipinfo's own
      SONDE_IPIFY_URL        Base URL instead of ipify's own

    Examples:
      sonde me
          Show who and where this machine is to the Internet

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    """#,
    .check: #"""
    Reads the inputs as scan does and writes one record per entry, with the reason
    and, where the intent is plain, the correction for each invalid one. Sends
    nothing. The exit status is 1 if any entry is invalid.

    Usage: sonde check [OPTION...] [INPUT...]

    Input:
          --log               Find addresses anywhere in the text. Also in brackets,
                              quotes and URLs or with a port. By default a line
                              holds one item.
          --duplicates WHICH  Answer each address once (first), or at every
                              occurrence (keep) [default: first]
          --max-expand N      Refuse a block or range of more than N addresses
                              [default: 65536]
          --range RANGE       Read the lines that begin in these bytes of one
                              regular file. OFFSET:LENGTH, in bytes or with k, m or
                              g; without a LENGTH to the end. scan and check take it
                              with --log.

    Output:
      -o, --output FILE       Write to FILE [default: stdout]
          --format FORMAT     Write csv, tsv, ndjson, json, geojson, sqlite or
                              table. By default as the ending of the output file
                              says, else table on a terminal and ndjson in a pipe.
                              sqlite needs --output.
          --fields LIST       Show these fields, in this order. +NAME adds one to
                              the usual ones; --fields help lists all.
          --with SOURCE       Add the columns of a SOURCE beside the answers.
                              own=FILE is a table of networks, as CSV, TSV or a bare
                              list: own_network is the longest prefix that holds the
                              address, and own_COLUMN its values. aws, gcp, google,
                              cloudflare and tor are lists that 'sonde tables
                              update' fetches; azure=FILE is Azure's file of service
                              tags. names asks reverse DNS: ptr are the names, those
                              first that lead back to the address. owner asks the
                              registries whose network it is, and whom to write to
                              about abuse. [repeatable]
          --where EXPR        Leave out the entries of which EXPR is not so. FIELD
                              alone (it has a value), FIELD = VALUE, also !=, <, <=,
                              > and >=, FIELD ~ "*PART*", FIELD in (VALUE, VALUE),
                              ip in (NETWORK) and ip in @FILE, joined by and, or,
                              not and brackets. What tables alone make false is
                              never asked about.
          --spreadsheet       Make CSV and TSV safe to open in a spreadsheet. Text
                              that could be taken for a formula gets a leading '.
          --rejects FILE      Write the invalid records to FILE instead

    Messages:
          --events FILE       Write everything that happens to FILE, as NDJSON
      -q, --quiet             Say nothing but errors on stderr
          --progress WHEN     Show progress on stderr: auto, always or never. With
                              auto, on a terminal that is not dumb, and not in the
                              background. [default: auto]
          --color WHEN        Use colors: auto, always or never. With auto, on a
                              terminal, unless NO_COLOR is set or TERM is dumb.
                              [default: auto]

    General:
      -h, --help              Show this help
      -V, --version           Show the version

    Examples:
      sonde check addresses.txt
          See what a scan would make of a list
      sonde check list.txt --rejects bad.ndjson > good.ndjson
          Keep the invalid entries apart

    """#,
    .plan: #"""
    A dry run of scan: counts entries, distinct, cached, reserved and invalid ones,
    and says for each provider how many requests are needed and how long they take
    under its quota. Sends nothing.

    Usage: sonde plan [OPTION...] [INPUT...]

    Input:
          --log                   Find addresses anywhere in the text. Also in
                                  brackets, quotes and URLs or with a port. By
                                  default a line holds one item.
          --pcap                  Read every file as a capture of packets. By
                                  default those that are one by their content (pcap,
                                  pcapng), also compressed.
          --duplicates WHICH      Answer each address once (first), or at every
                                  occurrence (keep) [default: first]
          --max-expand N          Refuse a block or range of more than N addresses
                                  [default: 65536]

    Output:
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --owner-reuse WHICH     Take an owner for the other addresses of its
                                  network, too. 24: those that are also in the same
                                  /24, or of IPv6 in the same /48. range: all of
                                  them. none: every address is asked about. What was
                                  not asked about says owner_inferred. [default: 24]
          --where EXPR            Leave out the entries of which EXPR is not so.
                                  FIELD alone (it has a value), FIELD = VALUE, also
                                  !=, <, <=, > and >=, FIELD ~ "*PART*", FIELD in
                                  (VALUE, VALUE), ip in (NETWORK) and ip in @FILE,
                                  joined by and, or, not and brackets. What tables
                                  alone make false is never asked about.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --resolver HOST[:PORT]  Ask this server for names. One with a public
                                  address gets at most 500 questions a second.
                                  [default: those of /etc/resolv.conf]
          --private-names         Ask for the names of private addresses, too

    Messages:
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Examples:
      sonde plan addresses.txt
          Know how long a scan will take
      sonde plan --log access.log --provider ipinfo
          The same for the addresses of a log and another provider

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    """#,
    .extract: #"""
    Prints every occurrence of an address in the text, in its canonical form, one a
    line, in order; of a capture of packets (pcap, pcapng), the source and
    destination of each. Without a FILE, or when FILE is -, reads stdin.

    Usage: sonde extract [OPTION...] [FILE...]

    Input:
          --pcap           Read every file as a capture of packets. By default those
                           that are one by their content (pcap, pcapng), also
                           compressed.
          --unique         Print only the first occurrence of each address
      -4, --ipv4           Print the IPv4 addresses only
      -6, --ipv6           Print the IPv6 addresses only
          --no-reserved    Leave out special-purpose addresses, such as private ones
          --range RANGE    Read the lines that begin in these bytes of one regular
                           file. OFFSET:LENGTH, in bytes or with k, m or g; without
                           a LENGTH to the end. scan and check take it with --log.

    Output:
      -o, --output FILE    Write to FILE [default: stdout]
          --count          Print how many lines there would be, for each FILE
          --with-filename  Begin each line with the name of its FILE and a colon. By
                           default only where --count has several.

    Messages:
      -q, --quiet          Say nothing but errors on stderr
          --progress WHEN  Show progress on stderr: auto, always or never. With
                           auto, on a terminal that is not dumb, and not in the
                           background. [default: auto]
          --color WHEN     Use colors: auto, always or never. With auto, on a
                           terminal, unless NO_COLOR is set or TERM is dumb.
                           [default: auto]

    General:
      -h, --help           Show this help
      -V, --version        Show the version

    Examples:
      sonde extract --unique /var/log/auth.log
          List the addresses of a log, each once
      sonde extract access.log | sort | uniq -c | sort -rn | head
          Count the most frequent ones

    """#,
    .annotate: #"""
    Copies text, line by line and byte for byte, and inserts after each address in
    it what is known of that: 8.8.8.8 [US, Mountain View, AS15169 Google LLC]. With
    --style json, lines that are JSON objects gain a member; with --style columns,
    CSV and TSV files gain columns. Each address is asked about once in a run. From
    a pipe each line goes out as soon as it and all before it are known. Without a
    FILE, or when FILE is -, reads stdin; several go out one after another. Files
    may be compressed with gzip, zstd, xz or bzip2.

    Usage: sonde annotate [OPTION...] [FILE...]

    Input:
          --strict                Exit with 1 if any entry was invalid
          --range RANGE           Read the lines that begin in these bytes of one
                                  regular file. OFFSET:LENGTH, in bytes or with k, m
                                  or g; without a LENGTH to the end. scan and check
                                  take it with --log.

    Output:
      -o, --output FILE           Write to FILE, which changes only when all is
                                  done. Until then what is done lies in
                                  FILE.partial, which an interruption leaves. The
                                  endings .gz and .zst compress. [default: stdout]
          --style STYLE           Insert as brackets, json or columns. brackets:
                                  after each address; json: as the last member of
                                  each line that is a JSON object, about strings
                                  that are as a whole an address; columns: as new
                                  columns of CSV or TSV with a header.
                                  [default: brackets]
          --key NAME              json: give the member this name. A line that has
                                  it already goes out as it came. [default: sonde]
          --column NAME           columns: find the addresses in this column. By
                                  default ip, else the only one with an address in
                                  the first row. [repeatable]
          --delimiter CHAR        columns: what stands between cells. By default
                                  tab, comma or semicolon, whichever the header has
                                  most of.
          --fields LIST           Insert these fields, in this order. +NAME adds one
                                  to the usual ones; --fields help lists all.
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --owner-reuse WHICH     Take an owner for the other addresses of its
                                  network, too. 24: those that are also in the same
                                  /24, or of IPv6 in the same /48. range: all of
                                  them. none: every address is asked about. What was
                                  not asked about says owner_inferred. [default: 24]
          --wait TIME             Let no line wait longer for its answers: it goes
                                  out as it came. For logs that grow. Counted from
                                  its reading. The exit status does not change for
                                  it. [default: forever]
          --only-matching         Leave out the lines without an address
          --spreadsheet           Make CSV and TSV safe to open in a spreadsheet.
                                  Text that could be taken for a formula gets a
                                  leading '.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --concurrency N         Keep at most N requests under way [default: 8]
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --resolver HOST[:PORT]  Ask this server for names. One with a public
                                  address gets at most 500 questions a second.
                                  [default: those of /etc/resolv.conf]
          --private-names         Ask for the names of private addresses, too

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Examples:
      sonde annotate access.log -o annotated.log
          Enrich yesterday's log
      tail -F access.log | sonde annotate --wait 2s
          Watch a log, no line later than two seconds
      sonde annotate --provider local --only-matching auth.log | less
          Read the lines with an address, and send none of them
      sonde annotate --style json app.jsonl | jq .sonde
          Show what is known of the addresses in JSON lines
      sonde annotate --style columns --column client hits.csv -o known.csv
          Enrich a table

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    Exit status:
      0      every valid address was answered
      1      some addresses failed, or not one entry was valid (with --strict: or
             some were invalid)
      2      wrong usage or configuration
      3      addresses were left without an answer because the network was lost
      4      the provider refused for good: bad key, banned, quota of the day spent
      5      an input or output could not be read or written
      128+N  ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143

    """#,
    .upgrade: #"""
    Reads RECORDS, as scan writes them (CSV or TSV with a header, NDJSON, a JSON
    array, or an SQLite database, which needs --output; - is stdin), and writes them
    again in the same form and order. The first of the providers, and no other, is
    asked for the rows that a local database (source libloc or mmdb) or one of the
    further providers answered, that failed or that were lost (network_lost). A row
    changes only when there is an answer for it; every other one is copied as it is.
    What has columns keeps them; what JSON records get is as with scan, by --fields.
    With the same file as --output, a new one is written beside it and takes its
    place at the end, also of an interrupted run (the rows of a database change
    where they are): the same command then goes on with what is left. An exit status
    of 1, 3 or 4 tells that rows were asked for without an answer.

    Usage: sonde upgrade [OPTION...] RECORDS

    Input:
          --strict                Exit with 1 if any entry was invalid

    Output:
      -o, --output FILE           Write to FILE [default: stdout]
          --fields LIST           Show these fields, in this order. +NAME adds one
                                  to the usual ones; --fields help lists all.
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --owner-reuse WHICH     Take an owner for the other addresses of its
                                  network, too. 24: those that are also in the same
                                  /24, or of IPv6 in the same /48. range: all of
                                  them. none: every address is asked about. What was
                                  not asked about says owner_inferred. [default: 24]
          --spreadsheet           Make CSV and TSV safe to open in a spreadsheet.
                                  Text that could be taken for a formula gets a
                                  leading '.

    Providers:
          --provider LIST         Ask the first of these providers. ip-api, ipinfo
                                  or ipinfo-lite (needs a token); the others of a
                                  list are not asked. local, with --with, sends
                                  nothing: rows that have an answer gain columns
                                  alone. [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --concurrency N         Keep at most N requests under way [default: 8]
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --resolver HOST[:PORT]  Ask this server for names. One with a public
                                  address gets at most 500 questions a second.
                                  [default: those of /etc/resolv.conf]
          --private-names         Ask for the names of private addresses, too

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Examples:
      sonde upgrade out.csv -o out.csv
          Complete the records of a scan that had to do without its provider
      sonde upgrade out.ndjson --provider ipinfo --max-requests 900 -o out.ndjson
          Ask another provider, as much as today's quota allows

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    Exit status:
      0      every valid address was answered
      1      some addresses failed, or not one entry was valid (with --strict: or
             some were invalid)
      2      wrong usage or configuration
      3      addresses were left without an answer because the network was lost
      4      the provider refused for good: bad key, banned, quota of the day spent
      5      an input or output could not be read or written
      128+N  ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143

    """#,
    .summary: #"""
    Counts the addresses and hits of records as scan writes them (CSV, TSV, NDJSON,
    JSON or SQLite, told by their content) or of anything else as a log, whose
    addresses are looked up as by scan: by country, network, city, status, source,
    address, and hour or day where lines have a time. Without a FILE, or when FILE
    is -, reads stdin. Ctrl-C prints the summary so far.

    Usage: sonde summary [OPTION...] [FILE...]

    Input:
          --log                   Read every FILE as a log, even if it holds records
          --since WHEN            Count only lines with a time from this one on. A
                                  date, a time as in RFC 3339, or how long ago, such
                                  as 2h or 7d.
          --until WHEN            Count only lines with a time before this one
          --time-zone NAME        Take times without a zone to be in this one, and
                                  tell hours and days in it [default: UTC]
          --pcap                  Read every file as a capture of packets. By
                                  default those that are one by their content (pcap,
                                  pcapng), also compressed.

    Output:
      -o, --output FILE           Write to FILE [default: stdout]
          --format FORMAT         Write table, csv, tsv, ndjson or json. By default
                                  as the ending of the output file says, else table.
          --top N                 Show the first N rows of each table, but all of
                                  hour and day. 0 is all. [default: 10]
          --tables LIST           Show these tables. country, network, city, status,
                                  source, address, hour or day, with commas between
                                  them; or none. [default: all that have data]
          --html FILE             Write a page for a browser to FILE, too. With a
                                  map, all countries, networks and cities, and the
                                  first 1,000 addresses. FILE ends in .html; an
                                  earlier one is replaced only by a page of the
                                  whole inputs.
          --title TEXT            Call the page and the table so [default: the names
                                  of the inputs]
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --where EXPR            Leave out the entries of which EXPR is not so.
                                  FIELD alone (it has a value), FIELD = VALUE, also
                                  !=, <, <=, > and >=, FIELD ~ "*PART*", FIELD in
                                  (VALUE, VALUE), ip in (NETWORK) and ip in @FILE,
                                  joined by and, or, not and brackets. What tables
                                  alone make false is never asked about.
          --spreadsheet           Make CSV and TSV safe to open in a spreadsheet.
                                  Text that could be taken for a formula gets a
                                  leading '.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --concurrency N         Keep at most N requests under way [default: 8]
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY       Key of ip-api; switches to its pro endpoint, over HTTPS
                             (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN     Token of ipinfo and ipinfo-lite (in the file:
                             ipinfo-token)
      SONDE_SHARED_PASSWORD  Password of the Redis that --shared names (in the file:
                             shared-password)
      SONDE_IP_API_URL       Base URL instead of ip-api's own
      SONDE_IPINFO_URL       Base URL instead of ipinfo's own
      SONDE_IPIFY_URL        Base URL instead of ipify's own

    Examples:
      sonde summary --provider local /var/log/nginx/access.log
          See who was there, without sending any address
      sonde summary access.log --html visitors.html --title Visitors
          Make a page to send to a colleague, beside the tables
      sonde summary access.log --since 7d --top 20 -o week.csv
          Keep the tables of the last seven days, with twenty rows each
      sonde summary visitors.csv --tables country,network
          Count the records of an earlier scan, asking nobody

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    Exit status:
      0      every valid address was answered
      1      some addresses failed, or not one entry was valid (with --strict: or
             some were invalid)
      2      wrong usage or configuration
      3      addresses were left without an answer because the network was lost
      4      the provider refused for good: bad key, banned, quota of the day spent
      5      an input or output could not be read or written
      128+N  ended by signal N: SIGHUP 129, SIGINT 130, SIGTERM 143

    """#,
    .watch: #"""
    Watches the path to an endpoint, by default the provider's, and prints an event
    when the network is lost, when it is back, and when an interface changes; first
    the state at the start. It is not misled by Docker bridges, idle VPNs or login
    pages, and says which layer broke: no_interface, link_down, no_address,
    no_route, unreachable or captive_portal. Needs no privileges. Every change of
    the state can raise alerts; an online first state raises none. SIGINT and
    SIGTERM end it with 0.

    Usage: sonde watch [OPTION...]

    Output:
          --format FORMAT         Write text or ndjson. By default text on a
                                  terminal and ndjson in a pipe.

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]

    Network:
          --endpoint HOST[:PORT]  Watch the path to this host. A name or address,
                                  with a TCP port or the one of HTTPS.
                                  [default: the provider's]
          --interval TIME         Look at the network this often, besides when the
                                  kernel tells of a change. Times are a number with
                                  ms, s, m, h or d; a bare number is seconds.
                                  [default: 250ms]
          --probe TIME            Connect to the endpoint this often, besides at the
                                  start and after each change. 0 is never.
                                  [default: 30s]
          --portal-url URL        Ask this page at the same pace, to tell a login
                                  page. It must answer 204, or else anything but
                                  HTML or a redirect.
          --settle TIME           Report a state only once it has lasted this long
                                  [default: 0]
          --once                  Report the state at the start, and end with 0 if
                                  online, 3 if offline

    Alerts:
          --exec COMMAND          Run COMMAND by /bin/sh at each change of the
                                  state. With SONDE_STATE, SONDE_CAUSE,
                                  SONDE_INTERFACE, SONDE_AT and SONDE_DOWN_MS; one
                                  at a time, in order, ended after 30 s with what it
                                  has left in the background.
          --webhook URL           POST each change of the state, of serve's
                                  watchlist, to URL, as JSON. Held back while
                                  offline, kept in $XDG_STATE_HOME/sonde, and
                                  delivered in order after. A URL that holds a key
                                  is better given as SONDE_WEBHOOK.
          --syslog                Log each change of the state to the system log
          --metrics HOST:PORT     Serve metrics for Prometheus at
                                  http://HOST:PORT/metrics

    Messages:
      -q, --quiet                 Say nothing but errors on stderr
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY    Key of ip-api; switches to its pro endpoint, over HTTPS
                          (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN  Token of ipinfo and ipinfo-lite (in the file:
                          ipinfo-token)
      SONDE_IP_API_URL    Base URL instead of ip-api's own
      SONDE_IPINFO_URL    Base URL instead of ipinfo's own
      SONDE_IPIFY_URL     Base URL instead of ipify's own

    Examples:
      sonde watch
          See what happens to the network
      sonde watch --settle 5s --exec ./alert.sh
          Run a command at each loss and return that lasts
      sonde watch --once --quiet > /dev/null && sonde scan list.txt -o out.csv
          Scan only while the path to the provider is open

    """#,
    .status: #"""
    Says what Sonde thinks of the network and why: interfaces, link, address, route,
    endpoint and verdict. With --shared, that Redis counts, too: while it is gone,
    the cause is shared_unreachable. The exit status is 0 when online and 3 when
    offline.

    Usage: sonde status [OPTION...]

    Output:
          --format FORMAT         Write text or json [default: text]

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]

    Cache:
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --endpoint HOST[:PORT]  Watch the path to this host. A name or address,
                                  with a TCP port or the one of HTTPS.
                                  [default: the provider's]
          --portal-url URL        Ask this page at the same pace, to tell a login
                                  page. It must answer 204, or else anything but
                                  HTML or a redirect.

    Messages:
      -q, --quiet                 Say nothing but errors on stderr
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY       Key of ip-api; switches to its pro endpoint, over HTTPS
                             (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN     Token of ipinfo and ipinfo-lite (in the file:
                             ipinfo-token)
      SONDE_SHARED_PASSWORD  Password of the Redis that --shared names (in the file:
                             shared-password)
      SONDE_IP_API_URL       Base URL instead of ip-api's own
      SONDE_IPINFO_URL       Base URL instead of ipinfo's own
      SONDE_IPIFY_URL        Base URL instead of ipify's own

    Examples:
      sonde status
          See why the provider cannot be reached
      sonde status --endpoint example.com:443 --format json | jq -r .cause
          Name the lowest broken layer on the path to another host

    """#,
    .cache: #"""
    Answers are kept from run to run, so that nothing is asked twice within a day.
    list prints them all as records, the oldest first; show prints those of some
    addresses; delete removes those; clear removes all; stats counts them, as one
    object with --format json; path says where they lie. None of this asks any
    provider. The quotas that runs share lie apart, in $XDG_STATE_HOME/sonde, and
    stay.

    Usage: sonde cache [OPTION...] list|show|delete|clear|stats|path [ADDRESS...]

    Output:
      -o, --output FILE    Write to FILE [default: stdout]
          --format FORMAT  Write csv, tsv, ndjson, json, geojson, sqlite or table.
                           By default as the ending of the output file says, else
                           table on a terminal and ndjson in a pipe. sqlite needs
                           --output.
          --fields LIST    Show these fields, in this order. +NAME adds one to the
                           usual ones; --fields help lists all.
          --spreadsheet    Make CSV and TSV safe to open in a spreadsheet. Text that
                           could be taken for a formula gets a leading '.

    Cache:
          --cache FILE     Keep answers in FILE. An SQLite database that any number
                           of runs may share. [default:
                           $XDG_CACHE_HOME/sonde/cache.db]
          --shared URL     Share quotas and answers with other machines, in this
                           Redis. redis://[USER@]HOST[:PORT][/DB] or unix:///PATH,
                           in place of the cache and the quotas of this machine.
                           While it is gone, addresses wait as while the network is
                           lost.

    Messages:
      -q, --quiet          Say nothing but errors on stderr
          --progress WHEN  Show progress on stderr: auto, always or never. With
                           auto, on a terminal that is not dumb, and not in the
                           background. [default: auto]
          --color WHEN     Use colors: auto, always or never. With auto, on a
                           terminal, unless NO_COLOR is set or TERM is dumb.
                           [default: auto]

    General:
      -h, --help           Show this help
      -V, --version        Show the version

    Environment:
      SONDE_SHARED_PASSWORD  Password of the Redis that --shared names (in the file:
                             shared-password)

    Examples:
      sonde cache stats
          See how much is kept
      sonde cache delete 1.1.1.1
          Have an address asked for anew
      sonde cache list --format csv > answers.csv
          Take all answers elsewhere

    """#,
    .quota: #"""
    Runs share what they use of each provider's quota. list prints a row for each
    window: the requests used and left, until when that holds, and why. reset
    forgets what is known of one provider or registry, so that the next run asks at
    once, with one request alone; the provider still counts what it has counted.
    Neither sends anything. The exit status is 2 if nothing has that NAME.

    Usage: sonde quota [OPTION...] list|reset [NAME]

    Output:
          --format FORMAT  Write a table or ndjson. By default a table on a
                           terminal, else ndjson.

    Cache:
          --shared URL     Share quotas and answers with other machines, in this
                           Redis. redis://[USER@]HOST[:PORT][/DB] or unix:///PATH,
                           in place of the cache and the quotas of this machine.
                           While it is gone, addresses wait as while the network is
                           lost.

    Messages:
      -q, --quiet          Say nothing but errors on stderr
          --progress WHEN  Show progress on stderr: auto, always or never. With
                           auto, on a terminal that is not dumb, and not in the
                           background. [default: auto]
          --color WHEN     Use colors: auto, always or never. With auto, on a
                           terminal, unless NO_COLOR is set or TERM is dumb.
                           [default: auto]

    General:
      -h, --help           Show this help
      -V, --version        Show the version

    Environment:
      SONDE_SHARED_PASSWORD  Password of the Redis that --shared names (in the file:
                             shared-password)

    Examples:
      sonde quota list
          See what is left, and what is waited for
      sonde quota reset ip-api
          Forget a wait that a network's login page or proxy has asked for
      sonde quota list --shared redis://quota.example.net
          See what several machines share

    """#,
    .tables: #"""
    Lists of networks for --with: those of Amazon (aws), Google's cloud (gcp),
    Google itself (google), Cloudflare and Tor's exits. update fetches those that
    have changed, all or the ones named; list says how many networks they have and
    when they were fetched. None comes with Sonde. A new list that is empty, is
    HTML, has under half the networks of the former one or over 1 % odd lines does
    not replace it: this is reported, and the exit status is 1. The lists lie in
    $XDG_STATE_HOME/sonde/tables.

    Usage: sonde tables [OPTION...] update|list [NAME...]

    Output:
          --format FORMAT  Write text or ndjson. By default text on a terminal, else
                           ndjson.

    Messages:
      -q, --quiet          Say nothing but errors on stderr
          --progress WHEN  Show progress on stderr: auto, always or never. With
                           auto, on a terminal that is not dumb, and not in the
                           background. [default: auto]
          --color WHEN     Use colors: auto, always or never. With auto, on a
                           terminal, unless NO_COLOR is set or TERM is dumb.
                           [default: auto]

    General:
      -h, --help           Show this help
      -V, --version        Show the version

    Environment:
      SONDE_TABLES_URL  Base URL of a mirror of the lists, whose hosts begin the
                        paths

    Examples:
      sonde tables update
          Fetch all, as from a daily timer
      sonde tables list
          See their ages
      sonde annotate --with aws --with tor access.log
          See who comes from there

    """#,
    .serve: #"""
    Serves a page on this machine: look up an address and see it on a map, find this
    machine's own, drop a list or a log on it and watch the scan, and see the
    network and the cache. It says on stderr where it listens, and prints a link on
    a terminal, which opens the page once, within ten minutes; link asks the running
    server for another one. With --team, people log in: the first link registers the
    admin, and user list, invite, reset, disable, enable and remove look after the
    accounts of the running server. Scans are resumed when it is started again,
    however it ended. SIGINT and SIGTERM end it with 0.

    Usage: sonde serve [OPTION...] [link|user ACTION [EMAIL]]

    Output:
          --with SOURCE           Add the columns of a SOURCE beside the answers.
                                  own=FILE is a table of networks, as CSV, TSV or a
                                  bare list: own_network is the longest prefix that
                                  holds the address, and own_COLUMN its values. aws,
                                  gcp, google, cloudflare and tor are lists that
                                  'sonde tables update' fetches; azure=FILE is
                                  Azure's file of service tags. names asks reverse
                                  DNS: ptr are the names, those first that lead back
                                  to the address. owner asks the registries whose
                                  network it is, and whom to write to about abuse.
                                  [repeatable]
          --owner-reuse WHICH     Take an owner for the other addresses of its
                                  network, too. 24: those that are also in the same
                                  /24, or of IPv6 in the same /48. range: all of
                                  them. none: every address is asked about. What was
                                  not asked about says owner_inferred. [default: 24]

    Providers:
          --provider LIST         Ask these providers, in order of preference.
                                  ip-api, ipinfo, ipinfo-lite (needs a token) or
                                  local, with commas between them. A later one
                                  answers only what the earlier ones could not.
                                  [default: ip-api,local]
          --database FILE         Use FILE for the provider local. A libloc database
                                  or any MMDB; given several times, they are merged.
                                  The age of one over 90 days old is told; 'location
                                  update' renews libloc's. [default:
                                  /var/lib/location/database.db, else the one of the
                                  libloc package; repeatable]

    Requests:
          --concurrency N         Keep at most N requests under way [default: 8]
          --rate RATE             Send at most so many requests, as 5/s or 45/min.
                                  The limit holds in any such period, even if the
                                  provider's headers allow more; if they allow less,
                                  they win. [default: the quota that the provider
                                  publishes]
          --max-requests N        Stop asking providers after N requests
          --timeout TIME          Give up a request after this time. Times are a
                                  number with ms, s, m, h or d; a bare number is
                                  seconds. [default: 10s]
          --retries N             Try a failed request again up to N times
                                  [default: 4]
          --offline-timeout TIME  Wait this long, or forever, for a lost network to
                                  return [default: 10s until the provider has
                                  answered once, then forever]

    Cache:
          --cache FILE            Keep answers in FILE. An SQLite database that any
                                  number of runs may share. [default:
                                  $XDG_CACHE_HOME/sonde/cache.db]
          --no-cache              Ask for every address, whatever was answered
                                  before. Nor are the answers kept. The quotas are
                                  shared with other runs all the same.
          --cache-ttl TIME        Give an answer again until it is this old. Answers
                                  older than 90 days are not kept. [default: 24h;
                                  for lookup, me and the look-ups of serve 5m]
          --stale-ok              Give an older one, too, while the network is lost
                                  past its timeout
          --shared URL            Share quotas and answers with other machines, in
                                  this Redis. redis://[USER@]HOST[:PORT][/DB] or
                                  unix:///PATH, in place of the cache and the quotas
                                  of this machine. While it is gone, addresses wait
                                  as while the network is lost.

    Network:
          --resolver HOST[:PORT]  Ask this server for names. One with a public
                                  address gets at most 500 questions a second.
                                  [default: those of /etc/resolv.conf]
          --private-names         Ask for the names of private addresses, too

    Alerts:
          --webhook URL           POST each change of the state, of serve's
                                  watchlist, to URL, as JSON. Held back while
                                  offline, kept in $XDG_STATE_HOME/sonde, and
                                  delivered in order after. A URL that holds a key
                                  is better given as SONDE_WEBHOOK.

    Server:
          --listen ADDRESS:PORT   Answer at this address and port. An address of its
                                  own, since browsers send cookies to every port of
                                  an address. One that others can reach needs
                                  --team, and TLS or a proxy before it. Port 0 is
                                  any that is free. [default: 127.83.1.1:8053]
          --team                  Have people log in, each to scans and look-ups of
                                  their own. The first link registers the admin, who
                                  invites the others.
          --open-registration     Let everybody register, without an invitation
          --state DIR             Keep scans, look-ups and sessions in DIR [default:
                                  $XDG_STATE_HOME/sonde/serve]
          --public-url URL        Where people find it, when a proxy stands before
                                  it. It tells the scheme, the host and the path
                                  that all paths begin with.
          --behind-proxy CIDR,...
                                  Believe the X-Forwarded-For of these proxies
          --tls-cert FILE         Speak TLS with the certificate of FILE, as PEM.
                                  With those that lead to its root. SIGHUP has it
                                  and its key read again.
          --tls-key FILE          The key of --tls-cert, as PEM
          --theme FILE            Take the page's colors, fonts and spacing from
                                  FILE. A style sheet with the custom properties
                                  that the page's own theme.css sets.
          --keep TIME             Forget look-ups, scans and losses that are older
                                  [default: 90d]
          --watch-every TIME      Ask again for what is on a watchlist when its
                                  answer is older [default: 1d]
          --limit-upload SIZE     Refuse a longer upload [default: 1GiB]
          --limit-entries N       End a scan of more than N entries as failed
                                  [default: 10000000]
          --limit-scans N         Keep at most N scans [default: 100]

    Messages:
          --events FILE           Write everything that happens to FILE, as NDJSON
      -q, --quiet                 Say nothing but errors on stderr
          --progress WHEN         Show progress on stderr: auto, always or never.
                                  With auto, on a terminal that is not dumb, and not
                                  in the background. [default: auto]
          --color WHEN            Use colors: auto, always or never. With auto, on a
                                  terminal, unless NO_COLOR is set or TERM is dumb.
                                  [default: auto]

    General:
      -h, --help                  Show this help
      -V, --version               Show the version

    Environment:
      SONDE_IP_API_KEY          Key of ip-api; switches to its pro endpoint, over
                                HTTPS (in the file: ip-api-key)
      SONDE_IPINFO_TOKEN        Token of ipinfo and ipinfo-lite (in the file:
                                ipinfo-token)
      SONDE_SHARED_PASSWORD     Password of the Redis that --shared names (in the
                                file: shared-password)
      SONDE_IP_API_URL          Base URL instead of ip-api's own
      SONDE_IPINFO_URL          Base URL instead of ipinfo's own
      SONDE_IPIFY_URL           Base URL instead of ipify's own
      SONDE_RDAP_URL            Base URL of a mirror of the registries of addresses,
                                whose hosts begin the paths
      SONDE_RDAP_BOOTSTRAP_URL  Base URL of a mirror of IANA's list of these, whose
                                hosts begin the paths

    Examples:
      sonde serve
          Serve the page, and print the link that opens it
      sonde serve link
          Print another link, for example for a service
      sonde serve --public-url https://example.org/sonde/ --behind-proxy 127.0.0.1
          Serve it behind a web server on this machine
      sonde serve user invite
          Print a link to register by, with --team

    Privacy:
      With the free ip-api endpoint, addresses go to ip-api.com unencrypted and for
      non-commercial use only; --provider local sends nothing.

    """#,
    .completions: #"""
    Prints a script that completes commands, options and their values.

    Usage: sonde completions [OPTION...] bash|zsh|fish

    General:
      -h, --help     Show this help
      -V, --version  Show the version

    Examples:
      source <(sonde completions bash)
          In ~/.bashrc; for zsh the same, in ~/.zshrc after compinit
      sonde completions fish > ~/.config/fish/completions/sonde.fish
          Once, for fish

    """#,
    .help: #"""
    Shows the words of sonde(1), or of the page of a COMMAND, such as sonde-scan(1);
    'sonde COMMAND --help' is shorter.

    Usage: sonde help [OPTION...] [COMMAND]

    General:
          --man      Write the page in the language of man, man(7)
      -h, --help     Show this help
      -V, --version  Show the version

    Examples:
      sonde help scan
          Show everything that scan can do
      sonde help --man scan | man -l -
          Show it as man does

    """#,
  ]
}
