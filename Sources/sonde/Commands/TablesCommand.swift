import SondeAddresses
import SondeLists
import SondeOptions
import SondeProviders
import SondeRecords
import SondeReport
import SondeSources
import SondeSystem
import SondeTransfer

/// `sonde tables`: adds, removes, updates, lists and shows the tables that `--with` takes by name.
struct TablesCommand {
  let context: Context
  let folder: ListFolder

  static func run(_ context: Context) async throws -> ExitStatus {
    guard let action = context.operands.first.flatMap(TablesAction.init(rawValue:)) else {
      return .usage
    }
    guard let folder = context.listFolder else {
      throw context.setupError(
        "neither XDG_STATE_HOME nor HOME is set: there is no place for tables"
      )
    }
    let command = TablesCommand(context: context, folder: folder)
    switch action {
    case .add: return try await command.add()
    case .remove: return try command.remove()
    case .update: return try await command.update(try command.tables())
    case .list: return await command.list(try command.tables())
    case .show: return await command.show(try command.tables())
    }
  }

  /// The tables named by the operands; without operands, the usual ones and those that are there.
  func tables() throws(UsageError) -> [NamedTable] {
    let published = AddedSource.published
    let names = context.operands.dropFirst()
    let tables = try names.map { name throws(UsageError) -> NamedTable in
      if let source = published.first(where: { $0.name == name }) { return .published(source) }
      if let table = folder.ownTable(named: name) { return .added(table) }
      let known = alternatives(published.map(\.name) + folder.ownTables.map(\.name))
      throw context.usageError("there is no table \(quoted(name)): expected \(known)")
    }
    guard names.isEmpty else { return tables }
    // Others are used only if they were asked for before.
    let usual = published.filter { !$0.isOnDemand || folder.state(of: $0) != nil }
    return usual.map(NamedTable.published) + folder.ownTables.map(NamedTable.added)
  }

  // MARK: - update

  private func update(_ tables: [NamedTable]) async throws -> ExitStatus {
    let base = try context.mirror(context.options.tablesURL, setBy: "tables-url")
    if let base, let endpoint = try base.endpoint {
      guard Self.mayFetch(from: endpoint) else {
        throw context.setupError(
          "tables are not fetched from \(base.authority) without TLS; use https://"
        )
      }
    }
    let client = try ConnectionSetup(context).client()
    let lists = ListUpdate(folder: folder, client: client, base: base, timeout: .seconds(60))
    let fetch = TableFetch(folder: folder, client: client)
    let (status, signal) = await Signals.cancelling { await update(tables, lists, fetch) }
    return signal ?? status
  }

  /// Whether nobody distant can intercept what is fetched: by TLS, or from an address in the local
  /// network.
  static func mayFetch(from endpoint: Endpoint) -> Bool {
    let host = endpoint.host.drop { $0 == "[" }.prefix { $0 != "]" }
    let isNear = Address(String(host))?.specialPurpose != nil
    return endpoint.isSecure || endpoint.isLoopback || isNear
  }

  private func update(
    _ tables: [NamedTable],
    _ lists: ListUpdate,
    _ fetch: TableFetch
  ) async -> ExitStatus {
    var seen: Set<PublishedList> = []
    var reasons: [ExitStatus] = []
    for table in tables {
      switch table {
      case .published(let source):
        for list in source.neededLists where seen.insert(list).inserted {
          guard let outcome = try? await lists.update(list) else { return .highest(of: reasons) }
          reasons.append(tell(outcome, of: list.title, folder.read(list)?.fetchedAt))
        }
      case .added(let table) where table.isFetched:
        guard let outcome = try? await fetch.update(table) else { return .highest(of: reasons) }
        reasons.append(tell(outcome, of: table.name, table.copy?.fetchedAt))
      case .added(let table):
        noteUse(of: table)
      }
    }
    return .highest(of: reasons)
  }

  /// Reports that a table is a file, of which there is no copy.
  func noteUse(of table: OwnTable) {
    let path = escapedForPerson(table.place)
    context.console.note("\(table.name): the file \(path) is read whenever it is used")
  }

  /// Reports the result for a list and returns its exit status.
  ///
  /// `title` names it for people; `fetchedAt` is the time of the former one.
  func tell(_ outcome: ListUpdate.Outcome, of title: String, _ fetchedAt: Int64?) -> ExitStatus {
    let age = fetchedAt.map { "; the list of \(NamedTable.words($0)) stays" } ?? ""
    switch outcome {
    case .updated(let rows, let odd):
      let lines = odd > 0 ? ", and \(count(odd, "odd line", "odd lines"))" : ""
      context.console.note("\(title): \(count(rows, "network", "networks"))\(lines)")
    case .recent(let rows, let fetchedAt, let pause):
      let words = "\(count(rows, "network", "networks")), fetched \(NamedTable.words(fetchedAt))"
      let limit = "its owner allows one request in \(Duration.seconds(pause).forPerson)"
      context.console.note("\(title): \(words); \(limit)")
    case .same(let rows):
      context.console.note("\(title): \(count(rows, "network", "networks")), as before")
    case .kept(let reason):
      context.console.error("\(title): \(escapedForPerson(reason))\(age)")
      return .failed
    case .networkLost(let reason, _):
      context.console.error("\(title): \(escapedForPerson(reason))\(age)")
      return .networkLost
    case .unwritable(let reason):
      context.console.error("\(title): \(reason)")
      return .inputOutput
    }
    return .success
  }

  // MARK: - list, show

  private func list(_ tables: [NamedTable]) async -> ExitStatus {
    let lines = tables.map { table in
      isText ? table.text(in: folder) : table.json(in: folder, withColumns: false)
    }
    return await StandardOutput.write(lines.joined())
  }

  private func show(_ tables: [NamedTable]) async -> ExitStatus {
    let lines = tables.map { table in
      isText ? table.description(in: folder) : table.json(in: folder, withColumns: true)
    }
    return await StandardOutput.write(lines.joined())
  }

  private var isText: Bool {
    (context.options.tablesFormat ?? (context.writesToTerminal ? .text : .ndjson)) == .text
  }
}

extension Context {
  /// The directory of published lists; `nil` without a home directory.
  var listFolder: ListFolder? {
    UserFolders(environment: environment).state.map { ListFolder(path: $0 + "/tables") }
  }
}
