import SondeAsking
public import SondeCatalog
import SondeDatabases
public import SondeLists
import SondeProviders
public import SondeRecords
import SondeSystem

/// A source that is opened: its columns, and how it is asked.
public struct OpenedSource: Sendable {
  /// Its columns, with the values of a table.
  public let columns: any ColumnSource
  /// How it is asked; `nil` for a table.
  public let asked: AskedSource?
}

extension NamedSource {
  /// Reads the table, or for a source that is asked returns only its columns.
  ///
  /// The directory of published lists is `nil` if there is no home directory; `environment` has the
  /// variables of the headers of a user's own service.
  public func open(
    from folder: ListFolder?,
    environment: [String: String] = [:]
  ) throws(TableFileError) -> OpenedSource {
    switch source.origin {
    case .networks: return OpenedSource(columns: try table(in: folder), asked: nil)
    case .names: return opened(.names)
    case .routes: return opened(.route)
    case .crawlers: return opened(.crawlers(CrawlerLists(in: folder)))
    case .registries: return opened(.owner)
    case .service:
      let service = try service(environment)
      let columns = AwaitedColumns(columns: service.columns)
      return OpenedSource(columns: columns, asked: .service(service))
    }
  }

  private func opened(_ asked: AskedSource) -> OpenedSource {
    OpenedSource(columns: AwaitedColumns(columns: source.awaited), asked: asked)
  }

  /// The row of a web service; a user's is read from its file.
  private func service(_ environment: [String: String]) throws(TableFileError) -> WebService {
    if let service = WebService(name: source.name) { return service }
    do {
      let bytes = try WholeFile(path: path).read(atMost: WebService.longestFile)
      return try WebService(file: bytes, named: source.name, environment: environment)
    } catch {
      throw TableFileError(path: path, line: nil, reason: "\(error)")
    }
  }

  private func table(in folder: ListFolder?) throws(TableFileError) -> any ColumnSource {
    guard !source.takesFile else { return try openFile() }
    guard let folder else {
      let reason = "neither XDG_STATE_HOME nor HOME is set, so that there is no place for it"
      throw TableFileError(path: source.name, line: nil, reason: reason)
    }
    guard let database = source.database else {
      return TableSource(try folder.table(of: source), named: source.name)
    }
    do throws(MaxMindSource.Problem) {
      let path = folder.path(of: database)
      if let opened = try MaxMindSource(path: path, named: source.name, choice) { return opened }
    } catch {
      throw TableFileError(path: source.name, line: nil, reason: "\(error)")
    }
    let reason = "was never fetched: 'sonde tables update \(source.name)' fetches it"
    throw TableFileError(path: source.name, line: nil, reason: reason)
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
