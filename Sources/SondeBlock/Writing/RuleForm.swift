import SondeAddresses
import SondeRecords
import SondeSystem
import SondeTables

/// A file of rules for another program.
struct RuleForm: Sendable {
  /// How the file is used, in lines; `NAME` stands for the name.
  let usage: [String]
  /// The rules with all that is around them.
  let body: @Sendable (RuleLines) -> [String]
  /// How a line becomes a comment.
  var comment = "# "

  func text(of lines: RuleLines) -> String {
    let head = usage.map { $0.replacing("NAME", with: lines.style.name) } + lines.heading
    return (head.map { comment + $0 } + body(lines)).map { $0 + "\n" }.joined()
  }
}

/// The rules of a file and their comments.
struct RuleLines: Sendable {
  let plan: BlockPlan
  let style: RuleStyle

  init(_ plan: BlockPlan, _ style: RuleStyle) { (self.plan, self.style) = (plan, style) }

  var name: String { style.name }
  var rules: [BlockRule] { plan.rules }
  var ipv4: [BlockRule] { rules.filter { $0.prefix.address.isIPv4 } }
  var ipv6: [BlockRule] { rules.filter { !$0.prefix.address.isIPv4 } }

  /// What the set does, and until when it is meant to.
  var heading: [String] {
    let totals = plan.totals
    let sums =
      "\(count(rules.count, "rule", "rules")): \(totals.badCovered) of \(totals.bad) bad, "
      + "\(totals.goodTouched) of \(totals.good) good"
    let end = totals.expiresAt.map { ["until \(Timestamp(seconds: $0).wholeSeconds)"] } ?? []
    return [sums] + end
  }

  /// Why a rule is there, as printable ASCII without `"` and `\`, at most 100 bytes.
  ///
  /// Braces go too, in which Caddy puts the values of variables even in comments.
  func comment(_ rule: BlockRule) -> String {
    let origin = rule.origin.text
    let text = "\(rule.bad) bad, \(rule.good) good" + (origin.isEmpty ? "" : ", \(origin)")
    let bytes = text.unicodeScalars.map { scalar -> UInt8 in
      switch scalar {
      case "\"": UInt8(ascii: "'")
      case "\\": UInt8(ascii: "/")
      case "{": UInt8(ascii: "(")
      case "}": UInt8(ascii: ")")
      case " "..."~": UInt8(truncatingIfNeeded: scalar.value)
      default: UInt8(ascii: "?")
      }
    }
    return String(decoding: bytes.prefix(100), as: UTF8.self)
  }
}

extension BlockFormat {
  /// How a file of this form is made; `nil` for a form that no other program loads.
  var form: RuleForm? {
    switch self {
    case .table, .plain, .csv, .json: nil
    case .nft: .nft
    case .ipset: .ipset
    case .iptables: .iptables
    case .nginx: .nginx
    case .apache: .apache
    case .haproxy: .haproxy
    case .caddy: .caddy
    }
  }
}

extension RuleForm {
  /// nft(8): a table that is deleted and made anew in one transaction.
  ///
  /// Its chain has a priority before
  /// `raw` (-300) and connection tracking (-200).
  fileprivate static let nft = RuleForm(
    usage: ["Load: nft -f FILE", "Undo: nft delete table inet NAME"],
    body: { lines in
      func set(_ family: String, _ type: String, _ rules: [BlockRule]) -> [String] {
        // nft takes no number of more than eight digits.
        let timeout =
          lines.style.expire.map { seconds in
            " timeout " + (seconds < 86_400 ? "" : "\(seconds / 86_400)d") + "\(seconds % 86_400)s"
          } ?? ""
        let elements = rules.map { rule in
          "\t\t\t\(rule.prefix)\(timeout) comment \"\(lines.comment(rule))\","
        }
        let flags = timeout.isEmpty ? "interval" : "interval, timeout"
        return ["\tset \(lines.name)\(family) {", "\t\ttype \(type)", "\t\tflags \(flags)"]
          + (elements.isEmpty ? [] : ["\t\telements = {"] + elements + ["\t\t}"]) + ["\t}"]
      }
      return ["table inet \(lines.name) {", "}", "delete table inet \(lines.name)"]
        + ["table inet \(lines.name) {"] + set("4", "ipv4_addr", lines.ipv4)
        + set("6", "ipv6_addr", lines.ipv6)
        + [
          "\tchain \(lines.name) {",
          "\t\ttype filter hook prerouting priority -310; policy accept;",
          "\t\tip saddr @\(lines.name)4 counter drop", "\t\tip6 saddr @\(lines.name)6 counter drop",
          "\t}", "}",
        ]
    }
  )

  /// ipset(8): both sets are filled under another name and swapped in.
  ///
  /// They always have the same
  /// parameters, for a set of that name with others could not be swapped.
  fileprivate static let ipset = RuleForm(
    usage: [
      "Load: ipset restore < FILE",
      "Use once: iptables -I INPUT -m set --match-set NAME4 src -j DROP, ip6tables the same with NAME6",
      "Undo: take these out with -D, then ipset destroy NAME4; ipset destroy NAME6",
    ],
    body: { lines in
      func set(_ name: String, _ family: String, _ rules: [BlockRule]) -> [String] {
        let rest = "hash:net family \(family) maxelem 16777216 timeout 0 comment -exist"
        let timeout = lines.style.expire.map { " timeout \($0)" } ?? ""
        return ["create \(name) \(rest)", "create \(name)_new \(rest)", "flush \(name)_new"]
          + rules.map { "add \(name)_new \($0.prefix)\(timeout) comment \"\(lines.comment($0))\"" }
          + ["swap \(name)_new \(name)", "destroy \(name)_new"]
      }
      return set("\(lines.name)4", "inet", lines.ipv4) + set("\(lines.name)6", "inet6", lines.ipv6)
    }
  )

  /// iptables-restore(8): `-4` and `-6` make each program pass over the other family's rules.
  fileprivate static let iptables = RuleForm(
    usage: [
      "Load: iptables-restore -n FILE; ip6tables-restore -n FILE",
      "Use once: iptables -I INPUT -j NAME; ip6tables -I INPUT -j NAME",
      "Undo: the same with -D, then iptables -F NAME; iptables -X NAME, and with ip6tables",
    ],
    body: { lines in
      let rules = lines.rules.map { rule in
        let family = rule.prefix.address.isIPv4 ? "-4" : "-6"
        let comment = "-m comment --comment \"\(lines.comment(rule))\""
        return "\(family) -A \(lines.name) -s \(rule.prefix) \(comment) -j DROP"
      }
      return ["*filter", ":\(lines.name) - [0:0]"] + rules + ["COMMIT"]
    }
  )

  /// ngx_http_access_module.
  fileprivate static let nginx = RuleForm(
    usage: [
      "Use: include FILE; in http, server or location, before other allow and deny; then reload"
    ],
    body: { lines in lines.rules.map { "deny \($0.prefix); # \(lines.comment($0))" } }
  )

  /// mod_authz_core: `AuthMerging And` adds to what is required elsewhere.
  fileprivate static let apache = RuleForm(
    usage: ["Use: Include FILE in the server or a virtual host; then reload"],
    body: { lines in
      ["<Location \"/\">", "  AuthMerging And", "  <RequireAll>", "    Require all granted"]
        + lines.rules.flatMap {
          ["    # \(lines.comment($0))", "    Require not ip \($0.prefix)"]
        } + ["  </RequireAll>", "</Location>"]
    }
  )

  /// HAProxy's configuration manual, 7.1.3: a pattern in each line, and comments in others.
  fileprivate static let haproxy = RuleForm(
    usage: [
      "Use: http-request deny if { src -f FILE }, or tcp-request connection reject; then reload"
    ],
    body: { lines in lines.rules.flatMap { ["# \(lines.comment($0))", "\($0.prefix)"] } }
  )

  /// A snippet for the Caddyfile.
  fileprivate static let caddy = RuleForm(
    usage: [
      "Use: import FILE at the top of the Caddyfile, and import NAME in a site; then reload",
      "Where a site has handle or route, give `order abort first` in the global options.",
    ],
    body: { lines in
      let networks = lines.rules.map { "\t\tremote_ip \($0.prefix) # \(lines.comment($0))" }
      let matcher =
        networks.isEmpty
        ? [] : ["\t@\(lines.name) {"] + networks + ["\t}", "\tabort @\(lines.name)"]
      return ["(\(lines.name)) {"] + matcher + ["}"]
    }
  )
}
