import Glibc
import SondeOptions
import SondeRecords
import SondeReport

/// What every command needs: what the user asked for, and the streams of the process.
///
/// Whatever only some commands need, a small type makes from it: ``InputSetup``, ``OutputSetup``,
/// ``ResumeSetup``, ``ProviderSetup``, ``ConnectionSetup``, ``StoreSetup``, ``WatchSetup``.
struct Context: Sendable {
  let command: CommandName
  let operands: [String]
  var options: Options
  let console: Console
  let environment: [String: String]
  /// What `--rate` leaves of requests, for all that the process asks.
  let rates = RequestRates()
  /// Who adds columns beside whatever provider answered.
  var added: [any ColumnSource] = []
  /// What records must be like to be written; `nil` for all.
  var filter: Filter?

  init(_ invocation: Invocation, environment: [String: String]) {
    command = invocation.command
    operands = invocation.operands
    options = invocation.options
    self.environment = environment
    console = Console(
      isQuiet: invocation.options.quiet,
      progress: Console.Progress(
        invocation.options.progress,
        isQuiet: invocation.options.quiet,
        isTerminal: isatty(STDERR_FILENO) == 1,
        environment: environment
      )
    )
  }

  /// Whether stdout is a terminal.
  var writesToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether what goes to stdout is colored.
  var colorsOutput: Bool {
    usesColor(options.color, isTerminal: writesToTerminal, environment: environment)
  }

  /// Where the value of a setting was given, and what the user called it there.
  ///
  /// - Parameters:
  ///   - name: The name of the setting.
  ///   - index: Which of its values; `nil` for the last one, which counts.
  /// - Returns: The place and the spelling; the long option where it was given nowhere.
  func origin(of name: String, at index: Int? = nil) -> Origin {
    let origins = options.origins[name] ?? []
    let origin = index.map { origins.indices.contains($0) ? origins[$0] : nil } ?? origins.last
    return origin ?? Origin(spelling: "--" + name)
  }

  /// An error in a value, which the message names as the user wrote it.
  ///
  /// - Parameters:
  ///   - name: The name of the setting, with which the message begins.
  ///   - index: Which of its values; `nil` for the last one, which counts.
  ///   - rest: What the message says of it, with what separates both.
  /// - Returns: The error, with the file and line for a value of a file.
  func valueError(_ name: String, at index: Int? = nil, _ rest: String) -> UsageError {
    let origin = origin(of: name, at: index)
    var error = UsageError("\(origin)\(rest)", command: command)
    // The usage of the command would not help elsewhere.
    error.isAboutSetup = !origin.isOption
    return error
  }

  /// A usage error of this command.
  func usageError(_ message: String) -> UsageError { UsageError(message, command: command) }

  /// An error in the files or settings of a command that was used rightly.
  func setupError(_ message: String) -> UsageError {
    var error = UsageError(message, command: command)
    error.isAboutSetup = true
    return error
  }
}
