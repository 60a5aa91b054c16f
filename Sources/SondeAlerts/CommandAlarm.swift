import Dispatch
import Glibc
import SondeRecords
import SondeSystem
import SondeWeb
import Synchronization

/// Runs the user's command for each alert.
///
/// A command is finished when its shell has ended. Background processes may run in parallel with
/// the next command, but not beyond the time limit or the end of this program.
package final class CommandAlarm: Alarm, TestableAlarm {
  static let limit = Duration.seconds(30)

  /// The interval of checks for background processes.
  private static let pace = Duration.milliseconds(100)

  private let command: String
  private let environment: [String: String]
  private let limit: Duration
  private let console: any AlertLog
  private let queue = DispatchQueue(label: "sonde.exec")
  private let leftBehind = Mutex<[ShellProcess]>([])

  /// `environment` is that of the command, in addition to the variables of the alert.
  package init(
    _ command: String,
    in environment: [String: String],
    limit: Duration = CommandAlarm.limit,
    console: any AlertLog
  ) {
    (self.command, self.environment) = (command, environment)
    (self.limit, self.console) = (limit, console)
  }

  package func raise(_ alert: Alert) async -> Bool {
    // A command that still waits when the program ends is not started.
    guard !Task.isCancelled else { return false }
    let attempt = await attempt(alert)
    if !attempt.isTaken { console.error("--exec: \(attempt.words)") }
    return true
  }

  package func attempt(_ alert: Alert) async -> AlertAttempt {
    do throws(SystemError) {
      let process = try ShellProcess(
        command,
        in: environment,
        variables: alert.variables,
        input: [.hits, .test].contains(alert.kind) ? alert.event.bytes + [0x0a] : []
      )
      process.stop(after: limit)
      let end = await end(of: process)
      leftBehind.withLock { $0 = ($0 + [process]).filter { $0.leavesGroup() } }
      return AlertAttempt(isTaken: end == .exited(0), words: words(for: end))
    } catch {
      return AlertAttempt(isTaken: false, words: "/bin/sh cannot be started: \(error)")
    }
  }

  package func finish() async {
    while true {
      let left = leftBehind.withLock { left in
        left.removeAll { !$0.leavesGroup() }
        return left
      }
      guard !left.isEmpty else { return }
      if Task.isCancelled { for process in left { process.stop() } }
      await pause(for: Self.pace)
    }
  }

  private func end(of process: ShellProcess) async -> ShellProcess.End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: process.wait()) }
      }
    } onCancel: {
      process.stop()
    }
  }

  /// Waits, even in a cancelled task.
  private func pause(for time: Duration) async {
    await withCheckedContinuation { continuation in
      let deadline = DispatchTime.now() + .milliseconds(Int(time.milliseconds))
      queue.asyncAfter(deadline: deadline) { continuation.resume() }
    }
  }

  private func words(for end: ShellProcess.End) -> String {
    switch end {
    case .exited(let status): "the command ended with status \(status)"
    case .signalled(let signal): "signal \(signal) ended the command"
    case .stopped where Task.isCancelled: "the command was stopped, for the program ends"
    case .stopped: "the command took too long and was killed"
    }
  }
}
