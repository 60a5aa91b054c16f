import Dispatch
import Glibc
import System

/// Runs a command of the user's for each alert.
struct CommandAlarm: Alarm {
  /// How long a command may take.
  static let limit = Duration.seconds(30)

  /// How long one that is under way when the program is to end may still take.
  private static let grace = Duration.seconds(1)

  private let command: String
  private let limit: Duration
  private let console: Console
  private let queue = DispatchQueue(label: "sonde.exec")

  init(_ command: String, limit: Duration = Self.limit, console: Console) {
    self.command = command
    self.limit = limit
    self.console = console
  }

  func raise(_ alert: NetworkAlert) async {
    // Those that still wait when the program is to end are not begun.
    guard !Task.isCancelled else { return }
    do throws(SystemError) {
      let process = try ShellProcess(command, variables: alert.variables)
      process.kill(after: limit)
      say(await end(of: process))
    } catch {
      console.error("--exec: /bin/sh cannot be started: \(error)")
    }
  }

  private func end(of process: ShellProcess) async -> ShellProcess.End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: process.wait()) }
      }
    } onCancel: {
      process.kill(after: Self.grace)
    }
  }

  private func say(_ end: ShellProcess.End) {
    switch end {
    case .exited(0): return
    case .exited(let status): console.note("--exec: the command ended with status \(status)")
    case .killed: console.error("--exec: the command took too long and was killed")
    case .signalled(let signal): console.note("--exec: signal \(signal) ended the command")
    }
  }
}
