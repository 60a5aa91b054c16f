import Glibc

/// `sonde help`: the manual page of the program, or of a command.
enum HelpCommand {
  static func run(_ context: Context) async -> ExitStatus {
    let page = ManualPage.of(context.operands.first.flatMap(CommandName.init))
    guard !context.options.man else { return await StandardOutput.write(page.roff) }
    // As wide as man shows it: long lines are hard to read.
    let width = min(terminalWidth(of: STDOUT_FILENO) ?? 80, 80)
    return await StandardOutput.write(page.text(width: width))
  }
}
