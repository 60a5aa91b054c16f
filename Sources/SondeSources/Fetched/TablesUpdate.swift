import SondeCatalog
public import SondeLists
public import SondeProviders
public import SondeDatabases
public import SondeTransfer

/// Renews tables, lists and databases, one after the other.
public struct TablesUpdate: Sendable {
  /// What is said of a table.
  public enum Finding: Sendable {
    /// The result for a list, a database or a user's table, whose former one was fetched at a time.
    case outcome(ListUpdate.Outcome, title: String, formerly: Int64?)
    /// The terms of a database that was fetched.
    case terms(String, title: String)
    /// The table is a file of the user's, of which there is no copy.
    case file(OwnTable)
  }

  /// Where things are, and how they are reached.
  public struct Surroundings: Sendable {
    /// The directory of lists, tables and databases.
    public var folder: ListFolder
    /// A mirror of what others publish; `nil` for their own URLs.
    public var base: BaseURL?
    /// The secrets of accounts, by the names of their settings.
    public var keys: [String: String]
    /// The directory of compiled databases.
    public var compiled: CompiledDatabases

    /// Describes the surroundings.
    public init(
      folder: ListFolder,
      base: BaseURL?,
      keys: [String: String],
      compiled: CompiledDatabases
    ) {
      (self.folder, self.base, self.keys, self.compiled) = (folder, base, keys, compiled)
    }
  }

  private let folder: ListFolder
  private let lists: ListUpdate
  private let databases: DatabaseFetch
  private let tables: TableFetch

  /// Creates an update that uses a client.
  public init(_ surroundings: Surroundings, client: HTTPClient) {
    folder = surroundings.folder
    lists = ListUpdate(
      folder: folder,
      client: client,
      base: surroundings.base,
      timeout: .seconds(60)
    )
    databases = DatabaseFetch(
      folder: folder,
      client: client,
      base: surroundings.base,
      keys: surroundings.keys,
      compiled: surroundings.compiled
    )
    tables = TableFetch(folder: folder, client: client)
  }

  /// Renews tables; throws `CancellationError` only.
  ///
  /// A list that several of them need is fetched once.
  public func update(_ named: [NamedTable], tell: (Finding) -> Void) async throws {
    var seen: Set<PublishedList> = []
    for table in named {
      switch table {
      case .published(let source):
        for list in source.neededLists where seen.insert(list).inserted {
          let outcome = try await lists.update(list)
          let formerly = folder.read(list)?.fetchedAt
          tell(.outcome(outcome, title: list.title, formerly: formerly))
        }
        if let database = source.database { try await update(database, tell: tell) }
      case .added(let table) where table.isFetched:
        let outcome = try await tables.update(table)
        tell(.outcome(outcome, title: table.name, formerly: table.copy?.fetchedAt))
      case .added(let table): tell(.file(table))
      }
    }
  }

  private func update(
    _ database: PublishedDatabase,
    tell: (Finding) -> Void
  ) async throws {
    let outcome = try await databases.update(database)
    let formerly = folder.read(database)?.fetchedAt
    tell(.outcome(outcome, title: database.name, formerly: formerly))
    switch outcome {
    case .built, .same: tell(.terms(database.terms, title: database.name))
    default: break
    }
  }
}
