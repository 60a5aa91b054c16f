import SondeAlerts
package import SondeInputs
package import SondeOptions
package import SondeOutputs
import SondeRecords
package import SondeReport
import SondeSQLite
import SondeSystem
import SondeWeb

/// Prints alerts on stdout.
package struct GuardPrinter: Sendable {
  private let output = Sink()
  private let isText: Bool
  private let host: String

  /// `host` is the name of this machine in alerts.
  package init(asText isText: Bool, host: String) { (self.isText, self.host) = (isText, host) }

  /// Writes an alert.
  ///
  /// - Throws: ``OutputError``.
  package func write(_ event: GuardEvent) async throws(OutputError) {
    let line = isText ? Array(Alert(event.json, host: host).words.utf8) : event.json.bytes
    try await output.write(line + [0x0a])
  }
}

/// How a guard ends.
package struct GuardEnd: Sendable {
  private let console: Console
  private let statePath: String?

  /// `statePath` is where the state is kept, if it is.
  package init(_ console: Console, statePath: String? = nil) {
    (self.console, self.statePath) = (console, statePath)
  }

  /// Reports what happened meanwhile.
  func report(_ news: String) { console.error(news) }

  /// Reports inputs that could not be read.
  package func report(_ failures: [InputError]) {
    for failure in failures { console.error(failure.explained(isFile: true)) }
  }

  /// Reports what was left out, and returns the exit status of a guard that has read all.
  package func status(
    undecided: GuardRun.Undecided,
    leftOut: Int,
    hasFailed: Bool
  ) -> ExitStatus {
    if leftOut > 0 {
      console.error("left out: \(count(leftOut, "line", "lines")) of more than 16 MiB")
    }
    if undecided.count > 0 {
      console.error(
        "undecided: \(count(undecided.count, "hit", "hits")), about whose addresses no answer came"
      )
    }
    var reasons: [ExitStatus] = hasFailed ? [.inputOutput] : []
    if undecided.isByLoss { reasons.append(.networkLost) }
    if leftOut > 0 || undecided.count > 0 { reasons.append(.failed) }
    return .highest(of: reasons)
  }

  /// Reports what ended a guard, and returns the exit status.
  package func status(of error: any Error) -> ExitStatus {
    switch error {
    case is CancellationError: return .success
    case let error as OutputError where error.isClosedPipe: return .success
    case let error as SQLiteError:
      let state = statePath.map { "\(escapedForPerson($0)): " } ?? ""
      console.error("\(state)the state cannot be read or written: \(error.message)")
      return .inputOutput
    default:
      console.error("\(error)")
      return .inputOutput
    }
  }
}
