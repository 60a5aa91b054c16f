import Glibc
package import SondeAsking
package import SondeCompare
package import SondeDatabases
package import SondeInputs
package import SondeLogs
package import SondeOptions
package import SondePrivacy
package import SondeRecords
package import SondeReport
package import SondeSources

/// The common input of all commands: the user's request and the streams of the process.
///
/// Small types derive from it what only some commands need: ``InputSetup``, ``OutputSetup``,
/// ``ResumeSetup``, ``ProviderSetup``, ``ConnectionSetup``, ``StoreSetup``, ``WatchSetup``.
package struct Context: Sendable {
  package let command: CommandName
  package let operands: [String]
  package var options: Options
  package private(set) var console: Console
  package let environment: [String: String]
  /// The request rates that `--rate` sets, shared by the whole process.
  package let rates = RequestRates()
  /// The sources of additional columns.
  package var added: [any ColumnSource] = []
  /// The installed databases, read without ``Options/databases``; `nil` for those that are there at
  /// each look.
  package var installedDatabases: [String]?
  /// The databases and directories of `--database`, of which ``Options/databases`` has the files.
  package var givenDatabases: [String] = []
  /// What answers as of an earlier time instead of ``Options/databases``; `nil` if they do.
  package var datedDatabases: LocalDatabases?
  /// The times that answers depend on; `nil` if they depend on none.
  package var periods: BuildPeriods? { datedDatabases?.periods }
  /// What `compare` makes of its sources; `nil` for other commands.
  package var comparison: Comparison?
  /// How those of them are asked that answer over the network, in order.
  package var asked: [AskedSource] = []
  /// Replaces addresses in all that is written; `nil` if they stay.
  package var anonymizer: Anonymizer? { didSet { console = makeConsole() } }
  /// The way back from pseudonyms, for `check --anonymize reveal`.
  package var pseudonyms: Pseudonyms?
  /// What identifies the key of pseudonyms without revealing it.
  package var keyFingerprint: String?
  /// Whether any line has the name of `--pick`.
  package let pickFindings = PickFindings()
  /// The condition that written records meet; `nil` for all.
  package var filter: Filter?
  /// The conditions of bad and good hits.
  package var bad: Filter?
  package var good: Filter?
  /// The pattern whose groups are fields of a line's hits.
  package var pattern: LinePattern?
  /// The condition of hits that count in `guard`.
  package var when: Filter?

  package init(_ invocation: Invocation, environment: [String: String]) {
    (command, operands, options) = (invocation.command, invocation.operands, invocation.options)
    self.environment = environment
    console = Self.console(invocation.options, environment, nil)
  }

  private func makeConsole() -> Console { Self.console(options, environment, anonymizer) }

  private static func console(
    _ options: Options,
    _ environment: [String: String],
    _ anonymizer: Anonymizer?
  ) -> Console {
    Console(
      isQuiet: options.quiet,
      progress: Console.Progress(
        options.progress,
        isQuiet: options.quiet,
        isTerminal: isatty(STDERR_FILENO) == 1,
        environment: environment
      ),
      anonymizer: anonymizer
    )
  }

  package var writesToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether output on stdout is colored.
  package var colorsOutput: Bool {
    usesColor(options.color, isTerminal: writesToTerminal, environment: environment)
  }

  /// Where a setting was given, and the user's spelling; the long option if it was not given.
  ///
  /// `index` is that of the value; `nil` for the last one, which counts.
  package func origin(of name: String, at index: Int? = nil) -> Origin {
    let origins = options.origins[name] ?? []
    let origin = index.map { origins.indices.contains($0) ? origins[$0] : nil } ?? origins.last
    return origin ?? Origin(spelling: "--" + name)
  }

  /// An error in a value, with the user's spelling of the setting, and the place in a file.
  ///
  /// `index` is that of the value, by default the last; `rest` begins with a separator.
  package func valueError(_ name: String, at index: Int? = nil, _ rest: String) -> UsageError {
    let origin = origin(of: name, at: index)
    // The command's usage line helps only with an option.
    return UsageError("\(origin)\(rest)", command: command, isAboutSetup: !origin.isOption)
  }

  package func usageError(_ message: String) -> UsageError { UsageError(message, command: command) }

  /// An error in files or settings, not in the use of the command.
  package func setupError(_ message: String) -> UsageError {
    UsageError(message, command: command, isAboutSetup: true)
  }
}
