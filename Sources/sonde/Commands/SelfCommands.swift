/// `sonde completions`: a script for a shell.
enum CompletionsCommand {
  static func run(_ context: Context) async -> ExitStatus {
    guard let shell = context.operands.first.flatMap(Shell.init(rawValue:)) else { return .usage }
    return await StandardOutput.write(shell.completions)
  }
}

/// `sonde help`: the help of the program, or of a command.
enum HelpCommand {
  static func run(_ context: Context) async -> ExitStatus {
    await StandardOutput.write(Help.text(for: context.operands.first.flatMap(CommandName.init)))
  }
}
