package import SondeDatabases
import SondeOptions
package import SondeOutputs
import SondePrivacy
import SondeProviders
import SondeReport
import SondeSources
import SondeSystem

/// The databases of the provider `local`.
package struct DatabaseSetup {
  private let context: Context

  private var options: Options { context.options }

  package init(_ context: Context) { self.context = context }

  /// The context with the files that `--database` and `--as-of` choose in place of directories; of a
  /// scan that is resumed, those that it began with.
  ///
  /// - Throws: ``UsageError`` for a directory without databases, or a provider that knows no earlier
  ///   time; ``DatabaseError`` if a library is missing.
  package func chosen() throws -> Context {
    guard context.command == .scan, options.resume, let output = options.output else {
      return try chosen(reading: DatabaseFiles())
    }
    return try chosen(reading: DatabaseFiles(inJournal: Journal.path(of: output)))
  }

  /// The same, of `files` alone.
  package func chosen(reading files: DatabaseFiles) throws -> Context {
    var chosen = context
    chosen.givenDatabases = options.databases
    let mayBeRead = { [anonymizer = context.anonymizer] (path: String) in
      // A journal of anonymized records holds no true names.
      let spelling = DatabaseFiles.spelling(of: [path])
      return files.include(anonymizer?.text(spelling) ?? spelling)
    }
    // If all that it began with are gone, it is refused for those that are there.
    let readable = { (found: [DatedDatabase]) in
      let those = found.filter { mayBeRead($0.path) }
      return those.isEmpty && !files.areNone ? found : those
    }
    if files.areChosen { chosen.installedDatabases = installed.filter(mayBeRead) }
    guard let time = options.asOf else {
      chosen.options.databases = try options.databases.enumerated().flatMap { index, path in
        guard FileStatus(path: path)?.isDirectory ?? false else { return [path] }
        return readable(try databases(at: path, index)).newest().map(\.path)
      }
      return chosen
    }
    if options.origins["provider"] != nil, options.providers != [.local] {
      throw context.valueError("as-of", " is for --provider local alone: others know only today")
    }
    let readsLog = context.command == .scan && options.log
    if time == .line, ![.annotate, .summary].contains(context.command), !readsLog {
      throw context.valueError("as-of", " line is for logs: scan --log, annotate and summary")
    }
    chosen.options.providers = [.local]
    let paths = options.databases.isEmpty ? installed : options.databases
    let found = try paths.enumerated().flatMap { index, path in try databases(at: path, index) }
    let all = readable(found)
    switch time {
    case .line:
      chosen.options.databases = all.map(\.path)
      guard !all.isEmpty else { break }
      chosen.datedDatabases = LocalDatabases(DatabaseArchive(all, tables: tables))
    case .moment(let time):
      chosen.options.databases = all.newest(asOf: time).map(\.path)
      guard chosen.options.databases.isEmpty, !found.isEmpty else { break }
      let moment = Timestamp(seconds: time).wholeSeconds
      chosen.datedDatabases = LocalDatabases(absence: "no database was built by \(moment)")
    }
    return chosen
  }

  /// The databases in a directory, or the one that a path names.
  private func databases(at path: String, _ index: Int) throws -> [DatedDatabase] {
    do throws(DatabaseError) {
      return try DatedDatabase.all(at: path)
    } catch {
      throw refusal(of: error, context.origin(of: "database", at: index).place)
    }
  }

  private var tables: CompiledDatabases {
    CompiledDatabases(folder: UserFolders(environment: context.environment).cache)
  }

  /// The given databases, or the installed ones; `nil` if there are none and others can be asked.
  package func databases() throws -> LocalDatabases? {
    if let dated = context.datedDatabases { return dated }
    do throws(DatabaseError) {
      let paths = options.databases
      if !paths.isEmpty { return try LocalDatabases(paths: paths, tables: tables) }
    } catch {
      let index = options.databases.firstIndex(of: error.path)
      throw refusal(of: error, context.origin(of: "database", at: index).place)
    }
    let (databases, errors) = LocalDatabases.installed(
      context.installedDatabases ?? installed,
      tables: tables
    )
    if databases == nil, options.providers == [.local] || context.comparison != nil {
      throw errors.first.map { refusal(of: $0) }
        ?? context.setupError(
          "no local database: install libloc-database, fetch one ('sonde tables update dbip'), "
            + "or give one with --database"
        )
    }
    // A database damaged by an update does not keep other databases and providers from answering.
    for error in errors { context.console.note("\(error); going on without it") }
    return databases
  }

  /// The databases that `local` would read; empty if there are none, or one is unusable.
  package var builds: [LocalDatabases.Build] { (try? databases())?.builds ?? [] }

  /// The paths of the given databases, or of those that were fetched by now; without libloc's.
  package var chosenPaths: [String] { options.databases.isEmpty ? fetched : options.databases }

  /// The paths of the databases that are read without `--database`, the best first.
  private var installed: [String] { fetched + LocalDatabases.defaultPaths }

  /// The paths of the databases that the command may read.
  var readPaths: [String] {
    guard options.databases.isEmpty else { return options.databases }
    guard options.providers.contains(.local) else { return [] }
    return installed.filter { FileStatus(path: $0) != nil }
  }

  /// The paths of the databases that `sonde tables update` fetched.
  private var fetched: [String] { context.listFolder?.databases ?? [] }

  /// The error for an unusable database, with the setting that names it.
  private func refusal(of error: DatabaseError, _ place: String = "") -> any Error {
    if case .unsupported = error.reason { return error }
    return context.setupError("\(place)\(error)")
  }
}
