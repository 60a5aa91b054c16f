public import SondeRecords

/// A source that can add columns to the provider's answer: a row of the table of such sources.
///
/// To add one, add its row here; a new way of asking also needs a case of ``Origin``, and its row in
/// `AskedSource`.
public struct AddedSource: Sendable, Equatable {
  /// All sources with a name of their own, in the order of the help text.
  public static let all: [AddedSource] = [
    AddedSource("aws", "Amazon Web Services", lists: [.aws]),
    AddedSource("gcp", "Google's cloud", lists: [.googleCloud]),
    AddedSource(
      "google",
      "Google itself, without its cloud",
      lists: [.google],
      without: .googleCloud
    ),
    AddedSource("cloudflare", "Cloudflare", lists: PublishedList.cloudflare),
    AddedSource("tor", "exits of Tor by IPv4", lists: [.tor]),
    AddedSource("private_relay", "iCloud Private Relay", onDemand: [.privateRelay]),
    AddedSource("drop", "Spamhaus DROP", onDemand: PublishedList.drop),
    AddedSource("googlebot", "Google's crawlers", onDemand: [.googlebot]),
    AddedSource("bingbot", "Bing's crawlers", onDemand: [.bingbot]),
    AddedSource("gptbot", "OpenAI's crawlers", onDemand: [.gptbot]),
    AddedSource("github", "GitHub's services", onDemand: [.github]),
    AddedSource("fastly", "Fastly", onDemand: [.fastly]),
    AddedSource("oracle", "Oracle's cloud", onDemand: [.oracle]),
    AddedSource("dbip", "DB-IP's places, free", from: .dbip),
    AddedSource("geolite", "MaxMind's places (needs a key)", from: .geolite),
    AddedSource("ipinfo_lite", "IPinfo's countries (needs a token)", from: .ipinfoCountries),
    AddedSource(
      "azure",
      "Microsoft's cloud, by its file of service tags",
      takesFile: true,
      values: PublishedList.cloudColumns.map(\.name)
    ),
    AddedSource("names", "reverse DNS", from: .names, awaiting: [AddedColumn].names),
    AddedSource(
      "owner",
      "whose network it is, as registries say",
      from: .registries,
      awaiting: [AddedColumn].owner
    ),
    AddedSource(
      "internetdb",
      "open ports and flaws of IPv4, by Shodan",
      of: [("ports", .numbers), ("cves", .list), ("tags", .list), ("hostnames", .list)]
    ),
    AddedSource(
      "greynoise",
      "who scans the Internet, of IPv4, by GreyNoise",
      of: [("noise", .flag), ("riot", .flag), ("classification", .text), ("name", .text)]
    ),
    AddedSource(
      "abuseipdb",
      "reports of abuse (needs a key)",
      of: [("score", .number), ("reports", .number), ("last_reported", .text)]
    ),
    AddedSource(
      "route",
      "the announced network and who announces it, by Team Cymru",
      from: .routes,
      of: [("network", .text), ("asn", .numbers), ("registry", .text), ("allocated", .text)]
    ),
    AddedSource(
      "crawler",
      "whether an address is a crawler's, or only claims to be",
      from: .crawlers,
      awaiting: [AddedColumn].crawler
    ),
  ]

  /// What the help text shows of users' own tables and databases.
  public static let own = AddedSource(
    "NAME",
    "a table of networks or an MMDB of yours",
    takesFile: true,
    values: ["COLUMN"]
  )

  /// The sources that the help text shows.
  public static var shown: [AddedSource] { [own] + all + [ownService] }

  /// What the help text shows of users' own services.
  private static let ownService = AddedSource(
    "NAME",
    "a web service of yours, described in a file",
    usage: "NAME=ask:FILE",
    takesFile: true,
    from: .service,
    values: ["COLUMN", "status"]
  )

  /// A table or database of a user by its name; `nil` if that is none.
  ///
  /// A name begins with a small letter, which small letters, digits and `_` follow, 32 in all.
  package init?(ownNamed name: some StringProtocol, isService: Bool = false) {
    let isSmall = { (byte: UInt8) in UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    guard let first = name.utf8.first, isSmall(first), name.utf8.count <= 32,
      name.utf8.allSatisfy({ isSmall($0) || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") })
    else { return nil }
    let row = isService ? Self.ownService : Self.own
    self.init(
      String(name),
      row.summary,
      takesFile: true,
      from: row.origin,
      values: row.values
    )
  }

  /// Whether it is a user's, not one of the known sources.
  public var isOwn: Bool { takesFile && Self(name: name) == nil }

  /// The sources whose lists `sonde tables update` downloads.
  public static var published: [AddedSource] { all.filter { !$0.lists.isEmpty } }

  /// The sources that `sonde tables update` downloads: lists, and databases.
  public static var fetched: [AddedSource] {
    all.filter { !$0.lists.isEmpty || $0.database != nil }
  }

  /// Whether its lists are downloaded only if it is named, or once they were.
  public private(set) var isOnDemand: Bool

  /// Where the values of a source come from.
  public enum Origin: Sendable {
    /// A table of networks, which is read before the run.
    case networks
    /// Reverse DNS, for each address.
    case names
    /// The routes of addresses, by DNS.
    case routes
    /// Published lists of crawlers, and reverse DNS for addresses that claim to be one.
    case crawlers
    /// The address registries, for each network.
    case registries
    /// A web service, for each address.
    case service
  }

  /// The name in `--with`, and the prefix of its columns' names.
  public let name: String
  /// Whether it requires a file, as in `own=nets.csv`.
  public let takesFile: Bool
  /// A short description.
  public let summary: String
  /// Where its values come from.
  public let origin: Origin
  /// Its columns, if it is asked for each address; empty for a table.
  public let awaited: [AddedColumn]
  /// The values in its table's file, for the help text.
  private let values: [String]
  package let lists: [PublishedList]
  /// The database that it is; `nil` for all others.
  public private(set) var database: PublishedDatabase?
  /// The list of networks to subtract from these.
  package let excluded: PublishedList?

  /// Whether it is asked over the network.
  public var isAsked: Bool { origin != .networks }

  /// All lists that it requires.
  public var neededLists: [PublishedList] { lists + (excluded.map { [$0] } ?? []) }

  /// The form used in `--with`: `own=FILE`.
  public let usage: String

  /// The names of its columns in the help text.
  public var columnNames: [String] {
    guard awaited.isEmpty else { return awaited.map(\.name) }
    let values = lists.first?.columns.map(\.name) ?? values
    return ((isAsked ? [] : ["network"]) + values).map { "\(name)_\($0)" }
  }

  /// Whether it may add a column with a name.
  public func mayAdd(_ column: String) -> Bool {
    awaited.isEmpty ? column.hasPrefix(name + "_") : awaited.contains { $0.name == column }
  }

  /// Whether some source may add a column with a name, perhaps a table of a user's.
  public static func mayBeAdded(_ column: String) -> Bool {
    all.contains { $0.mayAdd(column) } || Array(column.utf8).span.beginsAsOwnColumn
  }

  /// Creates a column from its name and its type in a database.
  public static func column(named name: String, ofType type: String) -> AddedColumn {
    let known = all.lazy.flatMap(\.awaited).first { $0.name == name }
    let form: AddedColumn.Form =
      switch type {
      case "INTEGER": .flag
      case "NUMERIC": .number
      default: .text
      }
    return known ?? AddedColumn(name: name, form)
  }

  /// Finds a source by its name.
  public init?(name: some StringProtocol) {
    guard let source = Self.all.first(where: { $0.name == name }) else { return nil }
    self = source
  }

  /// Creates a source that is asked about each address, with columns and its status.
  private init(
    _ name: String,
    _ summary: String,
    from origin: Origin = .service,
    of columns: [(String, AddedColumn.Form)]
  ) {
    let awaited = (columns + [("status", .status)]).map { AddedColumn(name: "\(name)_\($0)", $1) }
    self.init(name, summary, from: origin, awaiting: awaited)
  }

  /// Creates a source that is a database.
  private init(_ name: String, _ summary: String, from database: PublishedDatabase) {
    self.init(name, summary, values: ["COLUMN"])
    (self.database, isOnDemand) = (database, true)
  }

  private init(
    _ name: String,
    _ summary: String,
    usage: String? = nil,
    takesFile: Bool = false,
    from origin: Origin = .networks,
    values: [String] = [],
    awaiting awaited: [AddedColumn] = [],
    lists: [PublishedList] = [],
    onDemand rareLists: [PublishedList] = [],
    without excluded: PublishedList? = nil
  ) {
    self.usage = usage ?? (takesFile ? "\(name)=FILE" : name)
    (self.name, self.summary, self.takesFile, self.values) = (name, summary, takesFile, values)
    (self.origin, self.awaited, self.excluded) = (origin, awaited, excluded)
    (self.lists, isOnDemand) = (lists + rareLists, !rareLists.isEmpty)
  }
}

extension [AddedColumn] {
  /// The columns added by reverse DNS.
  public static let names = [
    AddedColumn(name: "ptr", .list), AddedColumn(name: "ptr_status", .status),
  ]

  /// The columns added about crawlers: the verdict, and the name of the crawler.
  public static let crawler = [
    AddedColumn(name: "crawler"), AddedColumn(name: "crawler_name"),
    AddedColumn(name: "crawler_status", .status),
  ]

  /// The columns added by the address registries.
  public static let owner = [
    AddedColumn(name: "owner_network"), AddedColumn(name: "owner_name"),
    AddedColumn(name: "registry"), AddedColumn(name: "abuse_email"),
    AddedColumn(name: "owner_inferred", .flag), AddedColumn(name: "owner_status", .status),
  ]
}

extension Span<UInt8> {
  /// Whether a name or its beginning is that of a column of a user's table: one of an ``AddedSource``
  /// and `_`, followed by anything.
  package var beginsAsOwnColumn: Bool {
    guard count > 0, UInt8(ascii: "a")...UInt8(ascii: "z") ~= self[0] else { return false }
    for index in indices.dropFirst() {
      switch self[index] {
      case UInt8(ascii: "_"): return true
      case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x30...0x39: continue
      default: return false
      }
    }
    return false
  }
}
