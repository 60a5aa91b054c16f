public import SondeCatalog
public import SondeLists
import SondeRecords
public import SondeSystem

/// A table that `--with` takes by its name alone, and what is known of it.
public enum NamedTable: Sendable {
  /// Lists that others publish.
  case published(AddedSource)
  /// A user's, added by a URL or a file.
  case added(OwnTable)

  /// The name.
  public var name: String {
    switch self {
    case .published(let source): source.name
    case .added(let table): table.name
    }
  }

  /// A short description; `nil` for a user's own.
  private var summary: String? {
    if case .published(let source) = self { source.summary } else { nil }
  }

  /// The URLs, or the path of a file.
  private var urls: [String] {
    switch self {
    case .published(let source): source.database.map { [$0.url] } ?? source.lists.map(\.url)
    case .added(let table): [table.place]
    }
  }

  private var licence: String? {
    guard case .published(let source) = self else { return nil }
    return source.database?.terms ?? source.lists.first?.licence
  }

  /// The age of the oldest part, and the number of networks; `nil` for a file, and if a part was
  /// never fetched.
  private func state(in folder: ListFolder) -> (fetchedAt: Int64, rows: Int)? {
    switch self {
    case .published(let source):
      if let database = source.database {
        folder.read(database).map { ($0.fetchedAt, $0.rows) }
      } else {
        folder.state(of: source)
      }
    case .added(let table): table.copy.map { ($0.fetchedAt, $0.rows) }
    }
  }

  /// The database that it is; `nil` for all others.
  public var database: PublishedDatabase? {
    if case .published(let source) = self { source.database } else { nil }
  }

  /// The day on which a database was built; `nil` for all others, and if it was never fetched.
  private func day(in folder: ListFolder) -> String? {
    database.flatMap(folder.read).map { ClockFace($0.built, in: .utc).date }
  }

  /// Whether there is a copy, or it is one of those that are always fetched.
  public func isUsual(in folder: ListFolder) -> Bool {
    guard case .published(let source) = self else { return true }
    return !source.isOnDemand || state(in: folder) != nil
  }

  /// The names of the columns; `nil` if it cannot be read.
  private func columns(in folder: ListFolder) -> [String]? {
    switch self {
    case .published(let source) where source.database != nil:
      let opened = try? NamedSource(source.name).open(from: folder)
      return opened?.columns.columns.map(\.name)
    case .published(let source): return folder.columns(of: source)
    case .added(let table):
      let opened = try? table.source(in: folder)?.open(from: folder)
      return opened?.columns.columns.map(\.name)
    }
  }
}

extension NamedTable {
  /// Removes a user's table, or the copy of a published one; returns whether there was any.
  public func remove(from folder: ListFolder) throws(SystemError) -> Bool {
    switch self {
    case .published(let source):
      guard let database = source.database else { return try folder.removeLists(of: source) }
      return try folder.remove(database)
    case .added(let table):
      try folder.remove(table)
      return true
    }
  }
}

// MARK: - Descriptions

extension NamedTable {
  /// A line for people: the name, the number of networks and the age.
  public func text(in folder: ListFolder) -> String {
    let name = name + String(repeating: " ", count: max(1, 14 - name.count))
    if let state = state(in: folder) {
      let built = day(in: folder).map { ", built on \($0)" } ?? ""
      let networks = count(state.rows, "network", "networks") + built
      return name + "\(networks), fetched \(Self.words(state.fetchedAt))\n"
    }
    if case .added(let table) = self { return name + "\(escapedForPerson(table.place))\n" }
    return name + "never fetched\n"
  }

  /// All that is known, for people.
  public func description(in folder: ListFolder) -> String {
    let rows: [(name: String, value: String?)] = [
      ("", summary), ("from", urls.joined(separator: ", ")),
      ("licence", licence), ("columns", columns(in: folder)?.joined(separator: ", ")),
    ]
    let lines = rows.compactMap { name, value in
      value.map { "  \(name.isEmpty ? "" : "\(name): ")\(escapedForPerson($0))\n" }
    }
    return text(in: folder) + lines.joined()
  }

  /// A one-line object, perhaps with the columns; members that are unknown are missing.
  public func json(in folder: ListFolder, withColumns hasColumns: Bool) -> String {
    var object = JSONObject()
    object.add("name", name)
    object.add("url", urls.joined(separator: " "))
    if let licence { object.add("licence", licence) }
    if let state = state(in: folder) {
      object.add("rows", state.rows)
      object.add("fetched_at", Timestamp(seconds: state.fetchedAt).wholeSeconds)
    }
    if let day = day(in: folder) { object.add("built", day) }
    if hasColumns, let columns = columns(in: folder) { object.add("columns", columns) }
    return String(decoding: object.line, as: UTF8.self)
  }

  /// The age and time of a download.
  public static func words(_ fetchedAt: Int64) -> String {
    let age = Duration.seconds(max(0, Timestamp.now.seconds - fetchedAt))
    return "\(age.forPerson) ago (\(Timestamp(seconds: fetchedAt).wholeSeconds))"
  }
}
