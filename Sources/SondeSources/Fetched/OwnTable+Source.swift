public import SondeCatalog
public import SondeLists
import SondeRecords
import SondeSystem

extension OwnTable {
  /// Whether it is fetched, and not a file.
  public var isFetched: Bool { WebPlace(place) != nil }

  /// The table as `--with NAME=FILE` would name it.
  public func source(in folder: ListFolder) -> NamedSource? {
    AddedSource(ownNamed: name).map { source in
      let path = isFetched ? folder.copy(of: self) : place
      return NamedSource(source, path: path, choice, isFetched: isFetched)
    }
  }
}

extension NamedSource {
  /// The file of a table that was added by its name; other sources as they are.
  public func resolved(in folder: ListFolder?) throws(NewTable.Problem) -> NamedSource {
    guard source.isOwn else { return self }
    let name = "'\(escapedForPerson(source.name))'"
    let table = folder?.ownTable(named: source.name)
    guard path.isEmpty else {
      guard table == nil else {
        throw NewTable.Problem(
          description: "\(name) is a table that was added: give this one another name"
        )
      }
      return self
    }
    guard let folder, let found = table?.source(in: folder) else {
      let known = AddedSource.shown.map(\.usage).joined(separator: ", ")
      throw NewTable.Problem(
        description: "there is no source \(name): expected \(known) or a table that was added"
      )
    }
    return found
  }

  /// When its copy, or the oldest of its lists, was fetched; `nil` without one.
  public func fetchedAt(in folder: ListFolder) -> Int64? {
    guard source.origin != .crawlers else {
      let lists = Crawler.all.compactMap(\.list)
      return lists.compactMap { folder.state(of: $0)?.fetchedAt }.min()
    }
    return isFetched
      ? folder.ownTable(named: source.name)?.copy?.fetchedAt : folder.state(of: source)?.fetchedAt
  }
}
