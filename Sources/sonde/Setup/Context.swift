import Glibc
import Providers
import Scanner
import Transfer

/// What a command runs with: its options, and the streams of the process.
struct Context: Sendable {
  let command: CommandName
  let operands: [String]
  var options: Options
  let console: Console
  let environment: [String: String]

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

  /// A usage error of this command.
  func usageError(_ message: String) -> UsageError { UsageError(message, command: command) }

  /// An error in what a rightly used command was to work with.
  func setupError(_ message: String) -> UsageError {
    var error = UsageError(message, command: command)
    error.isAboutSetup = true
    return error
  }
}

extension Console.Progress {
  /// How progress is shown: by default on a terminal that can erase what it shows.
  init(_ choice: When, isQuiet: Bool, isTerminal: Bool, environment: [String: String]) {
    let canErase = isTerminal && environment["TERM"] != "dumb"
    self =
      switch choice {
      case .auto: canErase && !isQuiet ? .live : .none
      case .always: canErase ? .live : .lines
      case .never: .none
      }
  }
}
