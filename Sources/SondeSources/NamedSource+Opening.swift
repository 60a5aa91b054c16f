import SondeAsking
public import SondeLists
public import SondeRecords

extension NamedSource {
  /// Reads the table, if the source is one.
  ///
  /// - Parameter folder: The directory of published lists; `nil` if there is no home directory.
  /// - Returns: The source of its columns; for one that is asked, only the columns.
  /// - Throws: ``TableFileError``.
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
