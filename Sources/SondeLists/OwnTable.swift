public import SondeCatalog
public import SondeSystem

/// A table of a user that `sonde tables add` gave a name: a URL that is fetched, or a file.
public struct OwnTable: Sendable, Equatable {
  /// The name in `--with`.
  public let name: String
  /// The URL, or the path of the file.
  public let place: String
  /// Which of its columns are used.
  public let choice: TableChoice
  /// The state of the copy of a URL; `nil` for a file.
  public var copy: Copy?

  /// What is known of the copy of a URL.
  public struct Copy: Sendable, Equatable {
    /// When it was fetched or found unchanged, in seconds since 1970 UTC.
    public var fetchedAt: Int64
    /// The number of networks, of an MMDB that of its records.
    public let rows: Int
    /// The entity tag of this version (RFC 9110 §8.8.3); empty if the server sent none.
    package let entityTag: String

    package init(fetchedAt: Int64, rows: Int, entityTag: String) {
      (self.fetchedAt, self.rows, self.entityTag) = (fetchedAt, rows, entityTag)
    }
  }

  /// Describes a table.
  public init(name: String, place: String, _ choice: TableChoice, copy: Copy? = nil) {
    (self.name, self.place, self.choice, self.copy) = (name, place, choice, copy)
  }
}

// MARK: - The stored form

extension OwnTable {
  /// The first line of a description; a member and its value are on each line that follows.
  private static let mark = "sonde-table-1"

  /// The lines of the description; no value has a line feed.
  var description: [UInt8] {
    var lines = [Self.mark, "place \(place)"]
    if let key = choice.key { lines.append("key \(key)") }
    lines += choice.columns?.map { "column \($0)" } ?? []
    if let copy {
      lines += ["fetched \(copy.fetchedAt)", "rows \(copy.rows)", "tag \(copy.entityTag)"]
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// Parses a description; `nil` if it is damaged.
  init?(_ bytes: [UInt8], named name: String) {
    // By bytes: a return and a line feed are one character.
    let lines = bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.mark, bytes.last == 0x0a else { return nil }
    var members: [Substring: [String]] = [:]
    for line in lines.dropFirst() {
      let halves = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      members[halves[0], default: []].append(halves.count > 1 ? String(halves[1]) : "")
    }
    guard let place = members["place"]?.first else { return nil }
    (self.name, self.place) = (name, place)
    choice = TableChoice(key: members["key"]?.first, columns: members["column"])
    if let time = members["fetched"]?.first.flatMap({ Int64($0) }),
      let rows = members["rows"]?.first.flatMap({ Int($0) })
    {
      copy = Copy(fetchedAt: time, rows: rows, entityTag: members["tag"]?.first ?? "")
    }
  }
}

// MARK: - The folder

extension ListFolder {
  private static let longestDescription = 1 << 20
  private static let ending = ".table"
  private var tableFolder: String { "\(path)/added" }

  private func description(of name: String) -> WholeFile {
    WholeFile(path: "\(tableFolder)/\(name)\(Self.ending)")
  }

  /// The path of the copy of a URL, as it was fetched.
  public func copy(of table: OwnTable) -> String { "\(tableFolder)/\(table.name).copy" }

  /// The tables that were added, by their names.
  public var ownTables: [OwnTable] {
    let files = SondeSystem.names(in: tableFolder)
    return files.sorted().compactMap { file in
      file.hasSuffix(Self.ending) ? ownTable(named: String(file.dropLast(Self.ending.count))) : nil
    }
  }

  /// The table that was added by a name; `nil` if there is none.
  public func ownTable(named name: String) -> OwnTable? {
    guard AddedSource(ownNamed: name) != nil else { return nil }
    let bytes = try? description(of: name).read(atMost: Self.longestDescription)
    return bytes.flatMap { OwnTable($0, named: name) }
  }

  /// Stores the description of a table, replacing the former one.
  package func write(_ table: OwnTable) throws(SystemError) {
    try description(of: table.name).write(table.description)
  }

  /// Removes a table and its copy; a user's own file stays.
  public func remove(_ table: OwnTable) throws(SystemError) {
    // Without its description, a copy is none.
    try description(of: table.name).remove()
    try WholeFile(path: copy(of: table)).remove()
    // What a killed run left of one removes itself.
    _ = try? FileDraft(of: copy(of: table))
  }

  /// Removes the lists of a source; returns whether there were any.
  public func removeLists(of source: AddedSource) throws(SystemError) -> Bool {
    let hasAny = source.lists.contains { read($0) != nil }
    for list in source.lists { try file(of: list).remove() }
    return hasAny
  }
}
