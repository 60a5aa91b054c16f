/// A source that can add columns to the provider's answer: a row of the table of such sources.
///
/// To add one, add its row here; a new way of asking also needs a case of ``Origin``, and its row in
/// `AskedSource`.
public struct AddedSource: Sendable, Equatable {
  /// All sources, in the order of the help text.
  public static let all: [AddedSource] = [
    AddedSource("own", "a table of networks of yours", takesFile: true, values: ["COLUMN"]),
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
    AddedSource(
      "azure",
      "Microsoft's cloud, by its file of service tags",
      takesFile: true,
      values: PublishedList.cloudColumns
    ),
    AddedSource("names", "reverse DNS", from: .names, awaiting: [AddedColumn].names),
    AddedSource(
      "owner",
      "whose network it is, as registries say",
      from: .registries,
      awaiting: [AddedColumn].owner
    ),
  ]

  /// The sources whose lists `sonde tables update` downloads.
  public static var published: [AddedSource] { all.filter { !$0.lists.isEmpty } }

  /// Where the values of a source come from.
  public enum Origin: Sendable {
    /// A table of networks, which is read before the run.
    case networks
    /// Reverse DNS, for each address.
    case names
    /// The address registries, for each network.
    case registries
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
  /// The list of networks to subtract from these.
  package let excluded: PublishedList?

  /// All lists that it requires.
  public var neededLists: [PublishedList] { lists + (excluded.map { [$0] } ?? []) }

  /// The form used in `--with`: `own=FILE`.
  public var usage: String { takesFile ? "\(name)=FILE" : name }

  /// The names of its columns in the help text.
  public var columnNames: [String] {
    guard awaited.isEmpty else { return awaited.map(\.name) }
    return (["network"] + (lists.first?.columns ?? values)).map { "\(name)_\($0)" }
  }

  /// Whether it may add a column with a name.
  public func mayAdd(_ column: String) -> Bool {
    awaited.isEmpty ? column.hasPrefix(name + "_") : awaited.contains { $0.name == column }
  }

  /// Creates a column from its name, of booleans if `isFlag`.
  public static func column(named name: String, isFlag: Bool) -> AddedColumn {
    let known = all.lazy.flatMap(\.awaited).first { $0.name == name }
    return known ?? AddedColumn(name: name, isFlag ? .flag : .text)
  }

  /// Finds a source by its name.
  public init?(name: some StringProtocol) {
    guard let source = Self.all.first(where: { $0.name == name }) else { return nil }
    self = source
  }

  private init(
    _ name: String,
    _ summary: String,
    takesFile: Bool = false,
    values: [String] = [],
    from origin: Origin = .networks,
    awaiting awaited: [AddedColumn] = [],
    lists: [PublishedList] = [],
    without excluded: PublishedList? = nil
  ) {
    (self.name, self.summary, self.takesFile, self.values) = (name, summary, takesFile, values)
    (self.origin, self.awaited, self.lists, self.excluded) = (origin, awaited, lists, excluded)
  }
}

/// A source as specified by a user: `own=nets.csv,key=block`.
public struct NamedSource: Sendable, Equatable {
  /// The source.
  public let source: AddedSource
  /// The file of its table; empty if it needs none.
  public let path: String
  /// The column of the networks in the file; `nil` for the default names.
  public let key: String?

  /// Parses a user's text; `nil` if the source is unknown, or its file is missing or superfluous.
  public init?(_ text: String) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let source = AddedSource(name: halves[0]) else { return nil }
    self.source = source
    guard source.takesFile else {
      guard halves.count == 1 else { return nil }
      (path, key) = ("", nil)
      return
    }
    guard halves.count == 2 else { return nil }
    (path, key) = Self.fileAndKey(halves[1])
    if path.isEmpty || key?.isEmpty == true { return nil }
  }

  private static let keyMark = ",key="

  /// Splits the text; the file may have a comma in its name.
  private static func fileAndKey(_ text: Substring) -> (String, String?) {
    var start = text.endIndex
    while start > text.startIndex {
      start = text.index(before: start)
      guard text[start...].hasPrefix(keyMark) else { continue }
      return (String(text[..<start]), String(text[start...].dropFirst(keyMark.count)))
    }
    return (String(text), nil)
  }
}

extension [AddedColumn] {
  /// The columns added by reverse DNS.
  public static let names = [
    AddedColumn(name: "ptr", .list), AddedColumn(name: "ptr_status", .status),
  ]

  /// The columns added by the address registries.
  public static let owner = [
    AddedColumn(name: "owner_network"), AddedColumn(name: "owner_name"),
    AddedColumn(name: "registry"), AddedColumn(name: "abuse_email"),
    AddedColumn(name: "owner_inferred", .flag), AddedColumn(name: "owner_status", .status),
  ]
}
