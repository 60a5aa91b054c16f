import Glibc
import Records

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

  /// A usage error of this command.
  func usageError(_ message: String) -> UsageError { UsageError(message, command: command) }

  /// An error in the files or settings of a command that was used rightly.
  func setupError(_ message: String) -> UsageError {
    var error = UsageError(message, command: command)
    error.isAboutSetup = true
    return error
  }
}
