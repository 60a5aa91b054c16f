package import SondeAsking
package import SondeDatabases
package import SondeInputs
package import SondeOptions
package import SondeOutputs
import SondeRecords
package import SondeScanner
import SondeSystem
import Synchronization

/// Reports the events of a run on stderr and in the events file.
///
/// ``RunReport`` decides what to report.
package final class Reporter: Sendable {
  private struct State {
    var file: EventsFile?
    var report: RunReport
    var run: (any WatchableRun)?
  }

  private let console: Console
  private let state: Mutex<State>

  package init(console: Console, of job: RunReport.Job = RunReport.Job()) {
    self.console = console
    state = Mutex(State(report: RunReport(of: job)))
  }

  /// Also writes all further events to an events file, if there is one.
  package func record(to file: EventsFile?) { state.withLock { $0.file = file } }

  package func follow(_ run: any WatchableRun, of job: RunReport.Job) {
    state.withLock { state in
      state.run = run
      state.report = RunReport(of: job)
    }
  }

  package func report(_ event: ScanEvent) {
    let message = state.withLock { state in
      if let line = event.json { state.file?.write(line) }
      if let run = state.run { state.report.scan = run.progress }
      return state.report.hear(event, at: .now)
    }
    if let message { say(message) }
  }

  func say(_ message: Message) {
    switch message {
    case .error(let text): console.error(text)
    case .note(let text): console.note(text)
    case .wait(let text): if console.progress == .none { console.note(text) }
    }
  }

  /// Says what is wrong with databases and, unless old ones were asked for, which are old.
  package func sayState(of databases: LocalDatabases, isAsOfEarlier: Bool = false) {
    for warning in databases.warnings { console.error(warning) }
    if !isAsOfEarlier { sayAge(of: databases.answered) }
  }

  /// Says which databases have answered.
  package func sayNames(of databases: LocalDatabases) {
    let names = databases.answered.map { "\($0.name) of \($0.day)" }
    guard !names.isEmpty else { return }
    say(.note("answered by \(escapedForPerson(names.joined(separator: ", ")))"))
  }

  package func sayAge(of builds: [LocalDatabases.Build]) {
    for build in builds {
      if let message = Message(aboutAgeOf: build, now: Timestamp.now.seconds) { say(message) }
    }
  }

  /// The current progress line; `allowance` is the number of requests that the quota allows now.
  package func progress(_ read: ReadProgress, allowance: Int?) -> ProgressText {
    state.withLock { state in
      if let run = state.run { state.report.scan = run.progress }
      (state.report.read, state.report.allowance) = (read, allowance)
      return state.report.progress(at: .now)
    }
  }

  /// Reports the end of the run, writes the summary event and returns the exit status.
  ///
  /// `spent` includes resumed runs; `signal` is the one that ended the run early, if any.
  package func finish(
    _ outcome: ScanOutcome,
    spent: RunCounters,
    isRefused: Bool = false,
    isSourceRefused: Bool = false,
    signal: ExitStatus?
  ) -> ExitStatus {
    let (report, eventsError) = state.withLock { state in
      state.report.outcome = outcome
      state.report.counters = spent
      (state.report.isRefused, state.report.isSourceRefused) = (isRefused, isSourceRefused)
      state.file?.write(state.report.event.line)
      return (state.report, outcome.isSatisfied ? nil : state.file?.finalError)
    }
    for line in report.closing { console.note(line) }
    let outputError = outcome.isSatisfied ? nil : outcome.outputError
    for error in [outputError, eventsError].compactMap(\.self) { console.error("\(error)") }
    let status = report.status(signal: signal)
    return eventsError == nil ? status : .highest(of: [status, .inputOutput])
  }

  /// Reports a write error, if any, of a run without another report.
  ///
  /// - Returns: The exit status.
  package func status(of outcome: ScanOutcome, signal: ExitStatus?) -> ExitStatus {
    var report = RunReport()
    report.outcome = outcome
    if let error = outcome.outputError, !outcome.isSatisfied { console.error("\(error)") }
    return report.status(signal: signal)
  }
}
