import Providers
import Records
import Scanner
import Synchronization

/// Tells what happens in a run: to the person on stderr, and to the events file.
///
/// What is to be told is for ``RunReport`` to decide; this brings it there.
final class Reporter: Sendable {
  private struct State {
    var file: EventsFile?
    var report = RunReport()
    var scan: Scan?
  }

  private let console: Console
  private let state = Mutex(State())

  init(console: Console) { self.console = console }

  /// Writes what is told from now on to an events file, too, if there is one.
  func record(to file: EventsFile?) { state.withLock { $0.file = file } }

  /// Begins the report of a scan, which starts now.
  func follow(_ scan: Scan, of job: RunReport.Job) {
    state.withLock { state in
      state.scan = scan
      state.report = RunReport(of: job)
    }
  }

  /// The report so far.
  var current: RunReport { state.withLock { $0.report } }

  /// Tells of one event.
  func report(_ event: ScanEvent) {
    let message = state.withLock { state in
      if let line = event.json { state.file?.write(line) }
      if let scan = state.scan { state.report.scan = scan.progress }
      return state.report.hear(event, at: .now)
    }
    if let message { say(message) }
  }

  /// Says something.
  func say(_ message: Message) {
    switch message {
    case .error(let text): console.error(text)
    case .note(let text): console.note(text)
    case .wait(let text): if console.progress == .none { console.note(text) }
    }
  }

  /// Says which local databases are damaged, and how old those are that answered.
  func sayState(of databases: LocalDatabases) {
    for warning in databases.warnings { console.note(warning) }
    sayAge(of: databases.builds.filter(\.hasAnswered))
  }

  /// Says how old databases are, where they are old.
  func sayAge(of builds: [LocalDatabases.Build]) {
    for build in builds {
      if let message = Message(aboutAgeOf: build, now: Timestamp.now.seconds) { say(message) }
    }
  }

  /// What the progress line says now.
  ///
  /// - Parameters:
  ///   - read: How far the reading is.
  ///   - allowance: Requests that the quota allows at the moment.
  /// - Returns: The line.
  func progress(_ read: ReadProgress, allowance: Int?) -> ProgressText {
    state.withLock { state in
      if let scan = state.scan { state.report.scan = scan.progress }
      (state.report.read, state.report.allowance) = (read, allowance)
      return state.report.progress(at: .now)
    }
  }

  /// Says how the run ended, and writes the summary event.
  ///
  /// - Parameters:
  ///   - report: How it ended; ``current`` with what is known at the end.
  ///   - signal: What ended the run early, if a signal did.
  /// - Returns: The status to end with.
  func finish(_ report: RunReport, signal: ExitStatus?) -> ExitStatus {
    let eventsFailure = state.withLock { state in
      state.file?.write(report.event.line)
      return report.isSatisfied ? nil : state.file?.fault
    }
    for line in report.closing { console.note(line) }
    let failure = report.isSatisfied ? nil : report.outcome.outputError
    for failure in [failure, eventsFailure].compactMap(\.self) { console.error("\(failure)") }
    let status = report.status(signal: signal)
    return eventsFailure == nil ? status : .highest(of: [status, .inputOutput])
  }

  /// Says why writing failed, if it did, where a run has no other report.
  ///
  /// - Returns: The status to end with.
  func status(of outcome: ScanOutcome, signal: ExitStatus?) -> ExitStatus {
    var report = RunReport()
    report.outcome = outcome
    if let failure = outcome.outputError, !report.isSatisfied { console.error("\(failure)") }
    return report.status(signal: signal)
  }
}
