/// Who can add columns beside whatever provider answered: a row of the table of such sources.
///
/// To add one: its row here, and, where it is more than a table of networks, what makes it.
public struct AddedSource: Sendable, Equatable {
  /// Every one, in the order of help.
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
    AddedSource("names", "reverse DNS", awaiting: [AddedColumn].names),
    AddedSource("owner", "whose network it is, as registries say", awaiting: [AddedColumn].owner),
  ]

  /// Those whose lists `sonde tables update` fetches.
  public static var published: [AddedSource] { all.filter { !$0.lists.isEmpty } }

  /// The name in `--with`; what the names of its columns begin with.
  public let name: String
  /// Whether a file is named, as in `own=nets.csv`.
  public let takesFile: Bool
  /// What it is, in a few words.
  public let summary: String
  /// What it adds where it is asked for each address; empty for a table.
  public let awaited: [AddedColumn]
  /// What the file of its table has beside networks, as help calls it.
  private let values: [String]
  /// What is published of it.
  package let lists: [PublishedList]
  /// What of these is not its own.
  package let excluded: PublishedList?

  /// All lists that it is made of.
  public var neededLists: [PublishedList] { lists + (excluded.map { [$0] } ?? []) }

  /// As it is written in `--with`: `own=FILE`.
  public var usage: String { takesFile ? "\(name)=FILE" : name }

  /// The names of its columns, as help shows them.
  public var columnNames: [String] {
    guard awaited.isEmpty else { return awaited.map(\.name) }
    return (["network"] + (lists.first?.columns ?? values)).map { "\(name)_\($0)" }
  }

  /// Whether it may add a column of a name.
  public func mayAdd(_ column: String) -> Bool {
    awaited.isEmpty ? column.hasPrefix(name + "_") : awaited.contains { $0.name == column }
  }

  /// What is known of a column by its name alone.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - isFlag: Whether its values are true or false.
  /// - Returns: The column.
  public static func column(named name: String, isFlag: Bool) -> AddedColumn {
    let known = all.lazy.flatMap(\.awaited).first { $0.name == name }
    return known ?? AddedColumn(name: name, isFlag ? .flag : .text)
  }

  /// The source of a name.
  public init?(name: some StringProtocol) {
    guard let source = Self.all.first(where: { $0.name == name }) else { return nil }
    self = source
  }

  private init(
    _ name: String,
    _ summary: String,
    takesFile: Bool = false,
    values: [String] = [],
    awaiting awaited: [AddedColumn] = [],
    lists: [PublishedList] = [],
    without excluded: PublishedList? = nil
  ) {
    (self.name, self.summary, self.takesFile, self.values) = (name, summary, takesFile, values)
    self.awaited = awaited
    (self.lists, self.excluded) = (lists, excluded)
  }
}

/// A source as a user names it: `own=nets.csv,key=block`.
public struct NamedSource: Sendable, Equatable {
  /// Which one it is.
  public let source: AddedSource
  /// The file of its table; empty where it takes none.
  public let path: String
  /// The column of the networks in that; `nil` for the usual ones.
  public let key: String?

  /// Reads what a user wrote; `nil` where the source is not known, or wants a file or none.
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

  /// The file may have a comma in its name.
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
  /// What reverse DNS adds.
  public static let names = [
    AddedColumn(name: "ptr", .list), AddedColumn(name: "ptr_status", .status),
  ]

  /// What the registries of addresses add.
  public static let owner = [
    AddedColumn(name: "owner_network"), AddedColumn(name: "owner_name"),
    AddedColumn(name: "registry"), AddedColumn(name: "abuse_email"),
    AddedColumn(name: "owner_inferred", .flag), AddedColumn(name: "owner_status", .status),
  ]
}
