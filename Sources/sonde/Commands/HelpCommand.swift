import Glibc
import SondeSetup
import SondeOptions
import SondeReport

/// `sonde help`: shows the manual page of the program or of a command.
enum HelpCommand {
  /// The width of the terminal, at most 80 columns as in man; longer lines are hard to read.
  static var width: Int { min(terminalWidth(of: STDOUT_FILENO) ?? 80, 80) }

  static func run(_ context: Context) async -> ExitStatus {
    let page = ManualPage.of(context.operands.first.flatMap(CommandName.init))
    guard !context.options.man else { return await StandardOutput.write(page.roff) }
    return await StandardOutput.write(page.text(width: width))
  }
}
