public import SondeLists
public import SondeRecords

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
