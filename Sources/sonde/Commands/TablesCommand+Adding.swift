import SondeLists
import SondeOptions
import SondeRecords
import SondeReport
import SondeSources
import SondeSystem
import SondeTransfer

extension TablesCommand {
  // MARK: - add

  /// Gives a URL, which is fetched at once, or a file a name.
  func add() async throws -> ExitStatus {
    let operands = context.operands.dropFirst()
    guard operands.count == 2, let name = operands.first, let place = operands.last else {
      throw context.usageError("tables add needs a name, and a URL or a file")
    }
    let named = try namedSource(name, place)
    if folder.ownTable(named: name) != nil {
      let advice = "choose another name, or remove it: sonde tables remove \(name)"
      throw context.usageError("there is a table \(name) already: \(advice)")
    }
    if named.path.contains("://") { return try await add(named, from: named.path) }
    return addFile(named)
  }

  private func namedSource(_ name: String, _ place: String) throws(UsageError) -> NamedSource {
    let named: NamedSource
    do throws(NamedSource.Problem) {
      named = try NamedSource("\(name)=\(place)")
    } catch {
      if case .taken(let name, let meaning) = error {
        throw context.usageError("\(quoted(name)) is \(meaning): choose another name")
      }
      throw context.usageError(
        "bad table \(quoted("\(name) \(place)")): expected NAME URL or NAME FILE, where NAME has small "
          + "letters, digits and _, and perhaps ,key=COLUMN or ,columns=A,B behind the file"
      )
    }
    guard named.source.isOwn else {
      throw context.usageError("\(quoted(name)) is a source of its own: choose another name")
    }
    return named
  }

  private func add(_ named: NamedSource, from url: String) async throws -> ExitStatus {
    guard let place = WebPlace(url) else {
      throw context.usageError("\(quoted(url)) is not an https:// URL")
    }
    // The URL is not shown: it has a password.
    guard !place.hasUser else {
      throw context.usageError("a table's URL must have neither a user nor a password")
    }
    guard let endpoint = try Endpoint(url: url) else {
      throw context.usageError("\(quoted(url)) is not an https:// URL")
    }
    guard Self.mayFetch(from: endpoint) else {
      throw context.usageError(
        "tables are not fetched from \(endpoint.authority) without TLS; use https://"
      )
    }
    let fetch = TableFetch(folder: folder, client: try ConnectionSetup(context).client())
    let table = OwnTable(name: named.source.name, place: url, named.choice)
    let (outcome, signal) = await Signals.cancelling { try? await fetch.update(table) }
    guard let outcome else { return signal ?? .failed }
    return signal ?? tell(outcome, of: table.name, nil)
  }

  /// Remembers a file, if it is a table.
  private func addFile(_ named: NamedSource) -> ExitStatus {
    let name = named.source.name
    let table = OwnTable(name: name, place: resolvedPath(named.path), named.choice)
    do {
      _ = try named.open(from: folder)
      guard !table.place.utf8.contains(0x0a) else {
        context.console.error("\(name): the path of its file has a line feed")
        return .failed
      }
      try folder.write(table)
    } catch let error as SystemError {
      context.console.error("\(folder.path): \(error)")
      return .inputOutput
    } catch {
      context.console.error("\(name): \(escapedForPerson("\(error)"))")
      return .failed
    }
    noteUse(of: table)
    return .success
  }

  // MARK: - remove

  /// Removes tables that were added, and the copies of published lists.
  func remove() throws -> ExitStatus {
    guard context.operands.count > 1 else {
      throw context.usageError("tables remove needs the name of a table")
    }
    for table in try tables() {
      switch table {
      case .published(let source):
        let isGone = folder.removeLists(of: source)
        let words = isGone ? "its copy is removed" : "it was never fetched"
        context.console.note("\(source.name): \(words)")
      case .added(let table):
        folder.remove(table)
        context.console.note("\(table.name): removed")
      }
    }
    return .success
  }
}
