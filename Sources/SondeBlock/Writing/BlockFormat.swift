/// A form in which rules are written.
public enum BlockFormat: String, Sendable, CaseIterable {
  case table, plain, csv, json, nft, ipset, iptables, nginx, apache, haproxy, caddy

  /// Whether the rules that it makes end by themselves when they expire.
  public var expires: Bool { self == .nft || self == .ipset }

  /// Whether it is a file that a program other than Sonde loads.
  public var isLoaded: Bool { form != nil }

  /// The reason why a name is not possible in this form; `nil` if it is.
  ///
  /// A name is a letter, then up to 23 letters, digits, `_` and `-`.
  public func fault(ofName name: String) -> String? {
    switch self {
    case .nft where Self.nftKeywords.contains(name): "is a keyword of nft"
    case .iptables where Self.builtInChains.contains(name): "is a chain or target of iptables"
    default: nil
    }
  }

  /// The longest time after which rules of this form may expire, in seconds; `nil` for any.
  ///
  /// ipset(8): "The largest possible timeout value is 2147483 (in seconds)".
  public var longestExpiry: Int64? { self == .ipset ? 2_147_483 : nil }

  /// What `nft` 1.0.6 does not take as the name of a table and a chain, or for one of the sets
  /// `NAME4` and `NAME6`.
  private static let nftKeywords = Set(
    """
    accept add ah all and arp auto-merge bridge cgroup chain comment comp constant continue counter cpu \
    create ct day dccp define delete describe destroy device devices dnat drop dst dup dynamic ecn element \
    elements eq esp ether exists expires export exthdr fib flags flow flowtable flush frag fwd gc-interval \
    ge get goto gt handle hbh hook hour ibriport ibrname icmp icmpv icmpv6 igmp iif iifgroup iifname \
    iiftype import include index inet insert interval ip ip6 ipsec jhash jump last le limit list log \
    lshift lt map mark masquerade meta meter mh missing monitor ne neq netdev nftrace not notrack numgen \
    obriport obrname offload oif oifgroup oifname oiftype or osf pkttype policy position priority queue \
    quota random redefine redirect reject rename replace reset return rshift rt rt0 rt2 rtclassid rule \
    ruleset sctp secmark set size skgid skuid snat socket srh symhash synproxy table tcp th time timeout \
    tproxy type typeof udp udplite undefine update vlan vmap xor xt
    """.split(separator: " ").map(String.init)
  )

  /// The chains of the table `filter`, and what a rule may jump to (iptables(8), iptables-extensions(8)).
  private static let builtInChains = Set(
    """
    INPUT FORWARD OUTPUT ACCEPT DROP RETURN QUEUE \
    AUDIT CHECKSUM CLASSIFY CLUSTERIP CONNMARK CONNSECMARK CT DNAT DNPT DSCP ECN HL HMARK IDLETIMER LED LOG \
    MARK MASQUERADE NETMAP NFLOG NFQUEUE NOTRACK RATEEST REDIRECT REJECT SECMARK SET SNAT SNPT SYNPROXY \
    TCPMSS TCPOPTSTRIP TEE TOS TPROXY TRACE TTL ULOG
    """.split(separator: " ").map(String.init)
  )
}

extension BlockPlan {
  /// The set in a form for programs, anything but ``BlockFormat/table``.
  public func bytes(as format: BlockFormat, _ style: RuleStyle) -> [UInt8] {
    switch format {
    case .table: []
    case .csv: csv(style)
    case .json: json
    case .plain, .nft, .ipset, .iptables, .nginx, .apache, .haproxy, .caddy:
      Array((format.form?.text(of: RuleLines(self, style)) ?? plain).utf8)
    }
  }

  private var plain: String { rules.map { "\($0.prefix)\n" }.joined() }
}

/// How rules are written.
public struct RuleStyle: Sendable {
  /// The name of sets, chains and matchers.
  public var name = "sonde"
  /// After how many seconds rules expire; `nil` for never.
  public var expire: Int64?
  /// Whether texts that look like a formula get a leading `'` in CSV.
  public var isForSpreadsheets = false

  /// Creates the default style.
  public init() {}
}
