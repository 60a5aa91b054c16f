import SondeCatalog
public import SondeLists
import SondeProviders
import SondeRecords
import SondeSystem
import SondeTransfer

/// A table that a user gives a name, checked before it is fetched or read.
public struct NewTable: Sendable {
  /// The reason why a name or a place cannot be used.
  public struct Problem: Error, Sendable, CustomStringConvertible {
    /// The reason in plain words.
    public let description: String
  }

  /// The table as it is stored.
  public let table: OwnTable
  private let named: NamedSource
  private let folder: ListFolder

  /// Checks a name and a URL or file, with what may follow it as in `--with`.
  ///
  /// - Throws: ``Problem``, or the errors of loading libcurl.
  public init(name: String, place: String, in folder: ListFolder) throws {
    self.folder = folder
    named = try Self.source(name, place)
    guard !named.source.isAsked else {
      let advice = "name its file by --with \(name)=ask:FILE"
      throw Problem(description: "a web service is no table: \(advice)")
    }
    guard folder.ownTable(named: name) == nil else {
      let advice = "choose another name, or remove it: sonde tables remove \(name)"
      throw Problem(description: "there is a table \(name) already: \(advice)")
    }
    let isURL = named.path.contains("://")
    if isURL { try Self.check(named.path) }
    let path = isURL ? named.path : resolvedPath(named.path)
    table = OwnTable(name: name, place: path, named.choice)
  }

  private static func source(_ name: String, _ place: String) throws(Problem) -> NamedSource {
    do throws(NamedSource.Problem) {
      let named = try NamedSource("\(name)=\(place)")
      guard named.source.isOwn else { throw .taken(name: name, by: "a source of its own") }
      return named
    } catch .taken(let name, let meaning) {
      throw Problem(description: "'\(escapedForPerson(name))' is \(meaning): choose another name")
    } catch {
      let expected = "expected NAME URL or NAME FILE, where NAME has small letters, digits and _"
      let words = escapedForPerson("\(name) \(place)")
      throw Problem(description: "bad table '\(words)': \(expected)")
    }
  }

  /// Checks a URL, which is not shown if it has a password.
  private static func check(_ url: String) throws {
    guard let place = WebPlace(url) else {
      throw Problem(description: "'\(escapedForPerson(url))' is not an https:// URL")
    }
    guard !place.hasUser else {
      throw Problem(description: "a table's URL must have neither a user nor a password")
    }
    guard let endpoint = try Endpoint(url: url) else {
      throw Problem(description: "'\(escapedForPerson(url))' is not an https:// URL")
    }
    guard endpoint.isPrivate else {
      let reason = "tables are not fetched from \(endpoint.authority) without TLS; use https://"
      throw Problem(description: reason)
    }
  }

  /// Remembers a file; throws ``Problem`` or ``TableFileError`` if it is no table, and
  /// `SystemError` if that cannot be stored.
  public func keepFile() throws {
    _ = try named.open(from: folder)
    guard !table.place.utf8.contains(0x0a) else {
      throw Problem(description: "the path of the file has a line feed")
    }
    try folder.write(table)
  }
}

extension ListUpdate.Outcome {
  /// What is said of the result for a list, whose former one is of `fetchedAt`.
  public func words(_ fetchedAt: Int64?) -> String {
    let age = fetchedAt.map { "; the former one of \(NamedTable.words($0)) stays" } ?? ""
    switch self {
    case .updated(let rows, let odd):
      let lines = odd > 0 ? ", and \(count(odd, "odd line", "odd lines"))" : ""
      return "\(count(rows, "network", "networks"))\(lines)"
    case .recent(let rows, let fetchedAt, let pause):
      let words = "\(count(rows, "network", "networks")), fetched \(NamedTable.words(fetchedAt))"
      return "\(words); its owner allows one request in \(Duration.seconds(pause).forPerson)"
    case .built(let rows, let date):
      return "\(count(rows, "network", "networks")), built on \(ClockFace(date, in: .utc).date)"
    case .same(let rows): return "\(count(rows, "network", "networks")), as before"
    case .kept(let reason), .networkLost(let reason, _): return escapedForPerson(reason) + age
    case .unwritable(let reason): return reason
    }
  }
}
