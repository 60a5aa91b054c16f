package import SondeCatalog
package import SondeLists
import SondeLogs
package import SondeOptions
package import SondeRecords
import SondeReport
import SondeSources
import SondeSystem

extension Context {
  /// The same context with the sources of `--with` opened, before any output is written.
  ///
  /// - Throws: ``UsageError`` for an unusable source, or a column of `--fields` that none adds.
  package func openingSources() throws(UsageError) -> Context {
    var context = self
    try context.openSources()
    try context.openPattern()
    do throws(FieldListError) {
      context.options.fields = try options.fields?.resolved(among: context.addedColumns)
    } catch {
      throw valueError("fields", ": \(words(for: error))")
    }
    context.filter = try options.condition.map { text throws(UsageError) in
      try context.filter(text)
    }
    try checkFields(of: context.filter)
    context.bad = try options.bad.map { text throws(UsageError) in
      try context.filter(text, of: "bad")
    }
    context.good = try options.good.map { text throws(UsageError) in
      try context.filter(text, of: "good")
    }
    try checkFields(of: context.bad, in: "bad")
    try checkFields(of: context.good, in: "good")
    context.when = try options.guarding.when.map { text throws(UsageError) in
      try context.filter(text, of: "when")
    }
    try checkFields(of: context.when, in: "when")
    return context
  }

  /// Compiles the pattern of `--capture`, whose groups become columns.
  private mutating func openPattern() throws(UsageError) {
    guard let text = options.capture else { return }
    let pattern: LinePattern
    do throws(LinePattern.Problem) {
      let name = origin(of: "capture").spelling
      pattern = try LinePattern(text, named: name) { [console] in console.error($0) }
    } catch {
      throw valueError("capture", ": \(error)")
    }
    let names = Set(added.flatMap(\.columns).map(\.name))
    if let taken = pattern.names.first(where: { Field(name: $0) != nil || names.contains($0) }) {
      throw valueError("capture", ": \(taken) is a field already: give the group another name")
    }
    self.pattern = pattern
    added.append(CapturedColumns(pattern.names))
  }

  /// Opens the sources that the command uses, in order.
  private mutating func openSources() throws(UsageError) {
    var sources: [NamedSource] = []
    for (index, word) in options.with.enumerated() {
      let named: NamedSource
      do throws(NewTable.Problem) {
        named = try word.resolved(in: listFolder)
      } catch {
        throw valueError("with", at: index, ": \(error)")
      }
      let source = named.source
      // A setting for all commands applies only to those that ask.
      if !asks(source), !options.isGiven("with") { continue }
      if sources.contains(where: { $0.source.name == source.name }) {
        let hint = source.isOwn ? ": give the second table another name" : ""
        throw valueError("with", at: index, " \(source.name) stands there twice\(hint)")
      }
      if !asks(source) {
        let takers = "scan, lookup, plan, annotate, summary, block, guard, upgrade and serve"
        throw usageError(
          "\(command.rawValue) asks nobody else: --with \(source.name) is for \(takers)"
        )
      }
      if let age = age(of: named) { console.note(age) }
      do throws(TableFileError) {
        let opened = try named.open(from: listFolder, environment: environment)
        added.append(opened.columns)
        if let source = opened.asked { asked.append(source) }
      } catch {
        throw sourceError(at: index, "\(error)")
      }
      if let name = clashingColumn() {
        let advice = "give the table another name, or choose its columns by columns="
        let column = escapedForPerson(name)
        throw sourceError(at: index, "there would be two columns '\(column)': \(advice)")
      }
      sources.append(named)
    }
    options.with = sources
  }

  private func sourceError(at index: Int, _ reason: String) -> UsageError {
    var misuse = valueError("with", at: index, ": \(reason)")
    misuse.isAboutSetup = true
    return misuse
  }

  /// A column of the last source that is called as another column or a field.
  private func clashingColumn() -> String? {
    // Names that only differ in case would be the same column in a database.
    let others = Set(added.dropLast().flatMap(\.columns).map { $0.name.lowercased() })
    return added.last?.columns.map(\.name).first { name in
      others.contains(name.lowercased()) || Field(name: name.lowercased()) != nil
    }
  }

  /// The message for an unusable list of columns, with the option that one of them needs.
  private func words(for error: FieldListError) -> String {
    guard case .notAdded(let name, _) = error,
      !options.with.contains(where: { $0.source.mayAdd(name) })
    else { return "\(error)" }
    guard let option = option(for: name) else { return "\(FieldListError.unknown(name))" }
    return "there is no column '\(escapedForPerson(name))' without \(option)"
  }

  /// Whether the command uses a source; some commands ask none over the network.
  package func asks(_ source: AddedSource) -> Bool {
    !source.isAsked || command != .check
  }

  /// The age in seconds from which a published list causes a warning.
  private static let oldList: Int64 = 7 * 86_400

  /// A note that the list of a source is old, if it is.
  private func age(of named: NamedSource) -> String? {
    guard let fetchedAt = listFolder.flatMap(named.fetchedAt) else { return nil }
    let age = Timestamp.now.seconds - fetchedAt
    guard age > Self.oldList else { return nil }
    return
      "the table \(named.source.name) is \(age / 86_400) days old: 'sonde tables update' renews it"
  }

  package var addedColumns: [AddedColumn] { added.flatMap(\.columns) }

  /// The requested columns, or the default ones with those of sources.
  package func fields(usual: [Field], adding added: [AddedColumn]) -> [Field] {
    options.fields?.fields(usual: usual, with: added) ?? usual + added.map(Field.added)
  }
}

extension NamedSource {
  /// The value of `--with` in one spelling per file.
  package var spelling: String {
    let key = choice.key.map { ",key=\($0)" } ?? ""
    let columns = choice.columns.map { ",columns=\($0.joined(separator: ","))" } ?? ""
    let mark = source.isAsked ? "ask:" : ""
    return source.name + (path.isEmpty ? "" : "=\(mark)\(resolvedPath(path))") + key + columns
  }
}

extension Context {
  /// The directory of published lists; `nil` without a home directory.
  package var listFolder: ListFolder? {
    UserFolders(environment: environment).state.map { ListFolder(path: $0 + "/tables") }
  }
}
