import SondeSetup
import SondeCatalog
import SondeDatabases
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
    let all = AddedSource.fetched
    let names = context.operands.dropFirst()
    let tables = try names.map { name throws(UsageError) -> NamedTable in
      if let source = all.first(where: { $0.name == name }) { return .published(source) }
      if let table = folder.ownTable(named: name) { return .added(table) }
      let known = alternatives(all.map(\.name) + folder.ownTables.map(\.name))
      throw context.usageError("there is no table \(quoted(name)): expected \(known)")
    }
    guard names.isEmpty else { return tables }
    // Others are used only if they were asked for before.
    let usual = all.map(NamedTable.published).filter { $0.isUsual(in: folder) }
    return usual + folder.ownTables.map(NamedTable.added)
  }

  // MARK: - update

  private func update(_ tables: [NamedTable]) async throws -> ExitStatus {
    let base = try context.mirror(context.options.tablesURL, setBy: "tables-url")
    let endpoint = try base?.endpoint
    if let base, let endpoint, !endpoint.isPrivate {
      throw context.setupError(
        "tables are not fetched from \(base.authority) without TLS; use https://"
      )
    }
    let update = TablesUpdate(
      TablesUpdate.Surroundings(
        folder: folder,
        base: base,
        keys: try keys(of: tables, at: endpoint),
        compiled: CompiledDatabases(folder: UserFolders(environment: context.environment).cache)
      ),
      client: try ConnectionSetup(context).client()
    )
    let (status, signal) = await Signals.cancelling { () -> ExitStatus in
      var reasons: [ExitStatus] = []
      try? await update.update(tables) { reasons.append(tell($0)) }
      return .highest(of: reasons)
    }
    return signal ?? status
  }

  /// The secrets of the accounts that databases need, none of which may leave this machine without
  /// TLS.
  private func keys(
    of tables: [NamedTable],
    at mirror: SondeTransfer.Endpoint?
  ) throws(UsageError) -> [String: String] {
    var keys: [String: String] = [:]
    for database in tables.compactMap(\.database) {
      for setting in database.credential?.settings ?? [] {
        guard let secret = context.options.keys[setting] else {
          let words = "\(Setting.variable(of: setting)) or \(setting)"
          throw context.setupError("\(database.name) needs an account: set \(words)")
        }
        if let mirror, !mirror.isSecure, !mirror.isLoopback {
          let words = "\(setting) is not sent to \(mirror.authority) without TLS; use https://"
          throw context.setupError(words)
        }
        keys[setting] = secret.value
      }
    }
    return keys
  }

  private func tell(_ finding: TablesUpdate.Finding) -> ExitStatus {
    switch finding {
    case .outcome(let outcome, let title, let formerly): return tell(outcome, of: title, formerly)
    case .terms(let terms, let title): context.console.note("\(title): \(terms)")
    case .file(let table): noteUse(of: table)
    }
    return .success
  }

  /// Reports that a table is a file, of which there is no copy.
  private func noteUse(of table: OwnTable) {
    let path = escapedForPerson(table.place)
    context.console.note("\(table.name): the file \(path) is read whenever it is used")
  }

  /// Reports the result for a list, whose former one is of `fetchedAt`; returns its exit status.
  private func tell(_ outcome: ListUpdate.Outcome, of title: String, _ fetchedAt: Int64?)
    -> ExitStatus
  {
    let words = "\(title): \(outcome.words(fetchedAt))"
    let status: ExitStatus =
      switch outcome {
      case .updated, .built, .recent, .same: .success
      case .kept: .failed
      case .networkLost: .networkLost
      case .unwritable: .inputOutput
      }
    if status == .success { context.console.note(words) } else { context.console.error(words) }
    return status
  }

  // MARK: - add, remove

  private func add() async throws -> ExitStatus {
    let words = context.operands
    guard words.count == 3 else {
      throw context.usageError("tables add needs a name, and a URL or a file")
    }
    let new: NewTable
    do {
      new = try NewTable(name: words[1], place: words[2], in: folder)
    } catch let problem as NewTable.Problem {
      throw context.usageError("\(problem)")
    }
    guard new.table.isFetched else { return addFile(new) }
    let fetch = TableFetch(folder: folder, client: try ConnectionSetup(context).client())
    let (outcome, signal) = await Signals.cancelling { try? await fetch.update(new.table) }
    return signal ?? outcome.map { tell($0, of: new.table.name, nil) } ?? .failed
  }

  private func addFile(_ new: NewTable) -> ExitStatus {
    do {
      try new.keepFile()
      noteUse(of: new.table)
      return .success
    } catch {
      context.console.error("\(new.table.name): \(escapedForPerson("\(error)"))")
      return error is SystemError ? .inputOutput : .failed
    }
  }

  private func remove() throws -> ExitStatus {
    guard context.operands.count > 1 else {
      throw context.usageError("tables remove needs the name of a table")
    }
    for table in try tables() {
      do throws(SystemError) {
        let isGone = try table.remove(from: folder)
        context.console.note("\(table.name): \(isGone ? "removed" : "was never fetched")")
      } catch {
        context.console.error("\(table.name): not removed: \(error)")
        return .inputOutput
      }
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
