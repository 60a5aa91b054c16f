import SondeAddresses
import SondeLists
import SondeOptions
import SondeProviders
import SondeRecords
import SondeReport
import SondeSystem
import SondeTransfer

/// `sonde tables`: updates, lists and shows the published network lists for `--with`.
struct TablesCommand {
  private let context: Context
  private let folder: ListFolder

  static func run(_ context: Context) async throws -> ExitStatus {
    guard let action = context.operands.first.flatMap(TablesAction.init(rawValue:)) else {
      return .usage
    }
    guard let folder = context.listFolder else {
      throw context.setupError(
        "neither XDG_STATE_HOME nor HOME is set: there is no place for tables"
      )
    }
    let sources = try sources(context, in: folder)
    let command = TablesCommand(context: context, folder: folder)
    switch action {
    case .update: return try await command.update(sources)
    case .list: return await command.list(sources)
    case .show: return await command.show(sources)
    }
  }

  /// The sources named by the operands; without operands, the usual ones and those that are there.
  private static func sources(
    _ context: Context,
    in folder: ListFolder
  ) throws(UsageError) -> [AddedSource] {
    let published = AddedSource.published
    let names = context.operands.dropFirst()
    let sources = try names.map { name throws(UsageError) in
      if let source = published.first(where: { $0.name == name }) { return source }
      let known = alternatives(published.map(\.name))
      throw context.usageError("there is no table \(quoted(name)): expected \(known)")
    }
    guard names.isEmpty else { return sources }
    // Others are used only if they were asked for before.
    return published.filter { !$0.isOnDemand || folder.state(of: $0) != nil }
  }

  // MARK: - update

  private func update(_ sources: [AddedSource]) async throws -> ExitStatus {
    let base = try context.mirror(context.options.tablesURL, setBy: "tables-url")
    if let base, let endpoint = try base.endpoint {
      guard endpoint.isSecure || endpoint.isLoopback || Self.isNear(endpoint) else {
        throw context.setupError(
          "tables are not fetched from \(base.authority) without TLS; use https://"
        )
      }
    }
    let updater = ListUpdate(
      folder: folder,
      client: try ConnectionSetup(context).client(),
      base: base,
      timeout: .seconds(60)
    )
    let (status, signal) = await Signals.cancelling { await update(sources, updater) }
    return signal ?? status
  }

  /// Whether a mirror has an address in the local network, which no distant host can intercept.
  private static func isNear(_ endpoint: Endpoint) -> Bool {
    let host = endpoint.host.drop { $0 == "[" }.prefix { $0 != "]" }
    return Address(String(host))?.specialPurpose != nil
  }

  private func update(_ sources: [AddedSource], _ updater: ListUpdate) async -> ExitStatus {
    var seen: Set<PublishedList> = []
    var reasons: [ExitStatus] = []
    for source in sources {
      for list in source.neededLists where seen.insert(list).inserted {
        guard let outcome = try? await updater.update(list) else { return .highest(of: reasons) }
        reasons.append(tell(outcome, of: list))
      }
    }
    return .highest(of: reasons)
  }

  /// Reports the result for a list and returns its exit status.
  private func tell(_ outcome: ListUpdate.Outcome, of list: PublishedList) -> ExitStatus {
    let age = folder.read(list).map { "; the list of \(Self.words($0.fetchedAt)) stays" } ?? ""
    switch outcome {
    case .updated(let rows, let odd):
      let lines = odd > 0 ? ", and \(count(odd, "odd line", "odd lines"))" : ""
      context.console.note("\(list.title): \(count(rows, "network", "networks"))\(lines)")
    case .recent(let rows, let fetchedAt, let pause):
      let words = "\(count(rows, "network", "networks")), fetched \(Self.words(fetchedAt))"
      let limit = "its owner allows one request in \(Duration.seconds(pause).forPerson)"
      context.console.note("\(list.title): \(words); \(limit)")
    case .same(let rows):
      context.console.note("\(list.title): \(count(rows, "network", "networks")), as before")
    case .kept(let reason):
      context.console.error("\(list.title): \(escapedForPerson(reason))\(age)")
      return .failed
    case .networkLost(let reason, _):
      context.console.error("\(list.title): \(escapedForPerson(reason))\(age)")
      return .networkLost
    case .unwritable(let reason):
      context.console.error("\(list.title): \(reason)")
      return .inputOutput
    }
    return .success
  }

  // MARK: - list

  private func list(_ sources: [AddedSource]) async -> ExitStatus {
    let lines = sources.map { source in isText ? text(source) : json(source, .usual) }
    return await StandardOutput.write(lines.joined())
  }

  // MARK: - show

  private func show(_ sources: [AddedSource]) async -> ExitStatus {
    let lines = sources.map { source in isText ? description(of: source) : json(source, .all) }
    return await StandardOutput.write(lines.joined())
  }

  private var isText: Bool {
    (context.options.tablesFormat ?? (context.writesToTerminal ? .text : .ndjson)) == .text
  }

  private func description(of source: AddedSource) -> String {
    let columns = folder.columns(of: source)?.joined(separator: ", ")
    let rows: [(name: String, value: String?)] = [
      ("", source.summary), ("from", source.lists.map(\.url).joined(separator: ", ")),
      ("licence", source.lists.first?.licence), ("columns", columns),
    ]
    let lines = rows.compactMap { name, value in
      value.map { "  \(name.isEmpty ? $0 : "\(name): \($0)")\n" }
    }
    return text(source) + lines.joined()
  }

  /// What an object says of a table.
  private enum Detail { case usual, all }

  /// A one-line object; members that are unknown for a table never fetched are missing.
  private func json(_ source: AddedSource, _ detail: Detail) -> String {
    var object = JSONObject()
    object.add("name", source.name)
    object.add("url", source.lists.map(\.url).joined(separator: " "))
    if let licence = source.lists.first?.licence { object.add("licence", licence) }
    if let state = folder.state(of: source) {
      object.add("rows", state.rows)
      object.add("fetched_at", Timestamp(seconds: state.fetchedAt).wholeSeconds)
    }
    if detail == .all, let columns = folder.columns(of: source) { object.add("columns", columns) }
    return String(decoding: object.line, as: UTF8.self)
  }

  private func text(_ source: AddedSource) -> String {
    let state = folder.state(of: source)
    let words = state.map { state in
      "\(count(state.rows, "network", "networks")), fetched \(Self.words(state.fetchedAt))"
    }
    let name = source.name + String(repeating: " ", count: max(1, 14 - source.name.count))
    return name + (words ?? "never fetched") + "\n"
  }

  /// The age and time of a download.
  private static func words(_ fetchedAt: Int64) -> String {
    let age = Duration.seconds(max(0, Timestamp.now.seconds - fetchedAt))
    return "\(age.forPerson) ago (\(Timestamp(seconds: fetchedAt).wholeSeconds))"
  }
}

extension Context {
  /// The directory of published lists; `nil` without a home directory.
  var listFolder: ListFolder? {
    UserFolders(environment: environment).state.map { ListFolder(path: $0 + "/tables") }
  }
}
