import SondeLists
import SondeOptions
import SondeRecords
import SondeReport
import SondeSources
import SondeSystem

extension Context {
  /// The same context with the sources of `--with` opened, before any output is written.
  ///
  /// - Throws: ``UsageError`` for an unusable source, or a column of `--fields` that none adds.
  func openingSources() throws(UsageError) -> Context {
    var context = self
    try context.openSources()
    do throws(FieldListError) {
      context.options.fields = try options.fields?.resolved(among: context.addedColumns)
    } catch {
      throw valueError("fields", ": \(words(for: error))")
    }
    context.filter = try options.condition.map { text throws(UsageError) in
      try context.filter(text)
    }
    try checkOffset(context.filter)
    return context
  }

  /// Opens the sources that the command uses, in order.
  private mutating func openSources() throws(UsageError) {
    var sources: [NamedSource] = []
    for (index, named) in options.with.enumerated() {
      let source = named.source
      // A setting for all commands applies only to those that ask.
      if !asks(source), !options.isGiven("with") { continue }
      if sources.contains(where: { $0.source == source }) {
        let advice = "put its networks into one table, with the columns of both, some of them empty"
        let hint = source.takesFile ? ": \(advice)" : ""
        throw valueError("with", at: index, " \(source.name) stands there twice\(hint)")
      }
      if !asks(source) {
        let takers = "scan, lookup, plan, annotate, summary, upgrade and serve"
        throw usageError(
          "\(command.rawValue) asks nobody else: --with \(source.name) is for \(takers)"
        )
      }
      if let age = age(of: source) { console.note(age) }
      do throws(TableFileError) {
        added.append(try named.open(from: listFolder))
      } catch {
        var misuse = valueError("with", at: index, ": \(error)")
        misuse.isAboutSetup = true
        throw misuse
      }
      sources.append(named)
    }
    options.with = sources
  }

  /// The message for an unusable list of columns, with the option that one of them needs.
  private func words(for error: FieldListError) -> String {
    guard case .notAdded(let name, _) = error, let option = option(for: name),
      !options.with.contains(where: { $0.source.mayAdd(name) })
    else { return "\(error)" }
    return "there is no column '\(escapedForPerson(name))' without \(option)"
  }

  /// Whether the command uses a source; some commands ask none over the network.
  func asks(_ source: AddedSource) -> Bool {
    source.awaited.isEmpty || command != .check
  }

  /// The age in seconds from which a published list causes a warning.
  private static let oldList: Int64 = 7 * 86_400

  /// A note that the list of a source is old, if it is.
  private func age(of source: AddedSource) -> String? {
    guard let state = listFolder?.state(of: source) else { return nil }
    let age = Timestamp.now.seconds - state.fetchedAt
    guard age > Self.oldList else { return nil }
    return "the table \(source.name) is \(age / 86_400) days old: 'sonde tables update' renews it"
  }

  var addedColumns: [AddedColumn] { added.flatMap(\.columns) }

  /// The requested columns, or the default ones with those of sources.
  func fields(usual: [Field], adding added: [AddedColumn]) -> [Field] {
    options.fields?.fields(usual: usual, with: added) ?? usual + added.map(Field.added)
  }
}

extension NamedSource {
  /// The value of `--with` in one spelling per file.
  var spelling: String {
    source.name + (path.isEmpty ? "" : "=\(resolvedPath(path))") + (key.map { ",key=\($0)" } ?? "")
  }
}
