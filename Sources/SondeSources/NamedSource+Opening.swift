import SondeAsking
public import SondeLists
public import SondeRecords

extension NamedSource {
  /// Reads the table, or for a source that is asked returns only its columns.
  ///
  /// The directory of published lists is `nil` if there is no home directory.
  public func open(from folder: ListFolder?) throws(TableFileError) -> any ColumnSource {
    guard source.awaited.isEmpty else { return AwaitedColumns(columns: source.awaited) }
    guard !source.takesFile else {
      return TableSource(try TableFile(path: path, key: key).table(), named: source.name)
    }
    guard let folder else {
      let reason = "neither XDG_STATE_HOME nor HOME is set, so that there is no place for it"
      throw TableFileError(path: source.name, line: nil, reason: reason)
    }
    return TableSource(try folder.table(of: source), named: source.name)
  }
}
