import SondeAsking
import SondeInputs
import SondeOptions
package import SondeOutputs
package import SondeRecords
import SondeScanner

/// How a run goes, and how it went: its messages, progress line, summary, hints and exit status are all
/// made from this value.
///
/// It receives every event with its time, and the progress of the run.
package struct RunReport: Sendable {
  /// What kind of run it is.
  package struct Job: Sendable {
    /// Whether a few addresses are looked up, which needs no summary.
    package var isLookup = false
    /// Whether an invalid entry alone is a reason for ``ExitStatus/failed``.
    package var countsInvalid = false
    /// Whether the inputs are read as logs.
    package var isLog = false
    /// Whether operands are files, whatever they look like.
    package var readsFiles = false
    /// Whether nothing is written before everything is known.
    package var writesAtEnd = false
    /// Whether only lines of JSON gain something.
    package var isOfJSON = false
    /// Whether records are chosen by a condition.
    package var hasFilter = false
    /// Where each of the sources that are asked says how it fared.
    package var statusColumns: [String] = []
    /// Whether one of these asks registries of addresses.
    package var asksRegistries = false
    /// Whether anybody can be asked.
    package var hasProviders = false
    /// The first provider, if it is a web API that `sonde upgrade` can ask again.
    package var preferred: String?
    /// Whether the records can be upgraded: a table cannot be read again.
    package var isUpgradable = false
    /// The file of the records; `nil` for stdout.
    package var output: String?
    /// Whether the run has a journal, by which it can be resumed.
    package var isResumable = false
    /// What the first provider's quota allows; `nil` where it has none.
    package var window: Window?

    /// Makes one of its parts.
    package init(
      isLookup: Bool = false,
      countsInvalid: Bool = false,
      isLog: Bool = false,
      readsFiles: Bool = false,
      writesAtEnd: Bool = false,
      isOfJSON: Bool = false,
      hasFilter: Bool = false,
      statusColumns: [String] = [],
      asksRegistries: Bool = false,
      hasProviders: Bool = false,
      preferred: String? = nil,
      isUpgradable: Bool = false,
      output: String? = nil,
      isResumable: Bool = false,
      window: Window? = nil
    ) {
      self.isLookup = isLookup
      self.countsInvalid = countsInvalid
      self.isLog = isLog
      self.readsFiles = readsFiles
      self.writesAtEnd = writesAtEnd
      self.isOfJSON = isOfJSON
      self.hasFilter = hasFilter
      self.statusColumns = statusColumns
      self.asksRegistries = asksRegistries
      self.hasProviders = hasProviders
      self.preferred = preferred
      self.isUpgradable = isUpgradable
      self.output = output
      self.isResumable = isResumable
      self.window = window
    }
  }

  /// The most that a provider's quota allows.
  package struct Window: Sendable {
    package let source: Source
    /// Addresses in a window; at least one.
    package let addresses: Int
    package let period: Duration

    /// Makes one of its parts.
    package init(source: Source, addresses: Int, period: Duration) {
      self.source = source
      self.addresses = addresses
      self.period = period
    }
  }

  let job: Job
  let start: ContinuousClock.Instant

  /// How far the records are.
  var scan = ScanProgress()
  /// How far the reading is.
  var read = ReadProgress()
  /// Requests that the quota allows at the moment; `nil` where there is none.
  var allowance: Int?

  /// How it ended.
  package var outcome = ScanOutcome()
  /// The requests, losses and time of the run, and of the runs that it resumes.
  package var counters = RunCounters()
  /// Whether a provider refused for good.
  var isRefused = false

  /// What is waited for, and who answers.
  private(set) var waits = Waits()
  /// Whose privacy has been spoken of.
  private var cautioned: Set<Source> = []
  private var hasSaidUnwatched = false

  package init(of job: Job = Job(), from start: ContinuousClock.Instant = .now) {
    (self.job, self.start) = (job, start)
  }

  /// Notes an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: When it did.
  /// - Returns: The message for people, if any.
  mutating func hear(_ event: ScanEvent, at now: ContinuousClock.Instant) -> Message? {
    waits.hear(event, at: now)
    if case .firstQuestion(let source, _, isCautionDue: true) = event {
      guard cautioned.insert(source).inserted else { return nil }
    }
    if case .unwatched = event {
      defer { hasSaidUnwatched = true }
      if hasSaidUnwatched { return nil }
    }
    return Message(about: event, waiting: scan.waiting, readsFiles: job.readsFiles)
  }

  /// The status to end with.
  ///
  /// - Parameter signal: What ended the run early, if a signal did.
  /// - Returns: The highest of the reasons.
  func status(signal: ExitStatus?) -> ExitStatus {
    guard !outcome.isSatisfied else { return .success }
    if outcome.isMisused { return .usage }
    var reasons: [ExitStatus] = []
    if outcome.outputError != nil || !outcome.inputErrors.isEmpty {
      reasons.append(.inputOutput)
    }
    if let signal, outcome.isInterrupted { reasons.append(signal) }
    let tally = outcome.tally
    var failed = tally.failed + (outcome.upgrades?.failed ?? 0)
    var lost = tally.networkLost + (outcome.upgrades?.networkLost ?? 0)
    if isRefused, failed > 0 { reasons.append(.refused) }
    for faults in tally.faults {
      failed += faults.failed
      lost += faults.networkLost
    }
    if lost > 0 { reasons.append(.networkLost) }
    let isAllInvalid =
      tally.invalid > 0 && tally.invalid == tally.settled && outcome.unanswered == 0
    if failed > 0 || isAllInvalid || job.countsInvalid && tally.invalid > 0 {
      reasons.append(.failed)
    }
    return .highest(of: reasons)
  }
}
