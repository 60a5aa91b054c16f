import SondeSetup
import SondeOptions
import SondeReport

/// `sonde completions`: prints the script for a shell.
enum CompletionsCommand {
  static func run(_ context: Context) async -> ExitStatus {
    guard let shell = context.operands.first.flatMap(Shell.init(rawValue:)) else { return .usage }
    return await StandardOutput.write(shell.completions)
  }
}
