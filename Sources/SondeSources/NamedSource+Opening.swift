import SondeAsking
public import SondeCatalog
import SondeDatabases
public import SondeLists
public import SondeRecords

extension NamedSource {
  /// Reads the table, or for a source that is asked returns only its columns.
  ///
  /// The directory of published lists is `nil` if there is no home directory.
  public func open(from folder: ListFolder?) throws(TableFileError) -> any ColumnSource {
    guard source.awaited.isEmpty else { return AwaitedColumns(columns: source.awaited) }
    guard !source.takesFile else { return try openFile() }
    guard let folder else {
      let reason = "neither XDG_STATE_HOME nor HOME is set, so that there is no place for it"
      throw TableFileError(path: source.name, line: nil, reason: reason)
    }
    return TableSource(try folder.table(of: source), named: source.name)
  }

  /// Opens an MMDB, or reads a table.
  private func openFile() throws(TableFileError) -> any ColumnSource {
    guard source.isOwn else {
      return TableSource(try TableFile(tags: path).table(), named: source.name)
    }
    do throws(MaxMindSource.Problem) {
      if let source = try MaxMindSource(path: path, named: source.name, choice) { return source }
    } catch {
      throw TableFileError(path: path, line: nil, reason: "\(error)")
    }
    let contents = try TableFile(path: path, choice, skippingFaults: isFetched).contents()
    guard !contents.areSystems else { return SystemSource(contents.table, named: source.name) }
    return TableSource(contents.table, named: source.name)
  }
}
