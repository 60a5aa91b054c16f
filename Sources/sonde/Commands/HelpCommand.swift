/// `sonde help`: the help of the program, or of a command.
enum HelpCommand {
  static func run(_ context: Context) async -> ExitStatus {
    await StandardOutput.write(Help.text(for: context.operands.first.flatMap(CommandName.init)))
  }
}
