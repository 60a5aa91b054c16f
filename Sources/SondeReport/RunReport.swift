import SondeAsking
import SondeInputs
import SondeOptions
package import SondeOutputs
package import SondeRecords
import SondeScanner

/// The state of a run, from which its messages, progress, summary and exit status are made.
///
/// It receives every event with its time, and the progress of the run.
package struct RunReport: Sendable {
  /// The kind of the run.
  package struct Job: Sendable {
    /// Whether a few addresses are looked up, which needs no summary.
    package var isLookup = false
    /// Whether an invalid entry alone causes ``ExitStatus/failed``.
    package var countsInvalid = false
    package var isLog = false
    /// Whether all operands are files.
    package var readsFiles = false
    /// Whether output is written only at the end.
    package var writesAtEnd = false
    /// Whether only lines of JSON are extended.
    package var isOfJSON = false
    /// Whether lines that are too long to be searched are left out, instead of copied.
    package var dropsLongLines = false
    /// Whether a condition selects the records.
    package var hasFilter = false
    /// The status columns of the sources that are asked.
    package var statusColumns: [String] = []
    /// Whether these are the sources of a comparison, whose refusals count like a provider's.
    package var isComparison = false
    /// Whether one of these asks address registries.
    package var asksRegistries = false
    /// Whether there is any provider to ask.
    package var hasProviders = false
    /// The first provider, if it is a web API that `sonde upgrade` can ask again.
    package var preferred: String?
    /// Whether the records can be upgraded: a text table cannot be parsed again.
    package var isUpgradable = false
    /// Whether the records can only be upgraded into another file, as compressed ones.
    package var needsNewFile = false
    /// The output file; `nil` for stdout.
    package var output: String?
    /// Whether the run has a journal and can be resumed.
    package var isResumable = false
    /// The first provider's quota; `nil` if it has none.
    package var window: Window?

    package init(isLookup: Bool = false) { self.isLookup = isLookup }
  }

  /// A provider's quota.
  package struct Window: Sendable {
    package let source: Source
    /// Addresses per window; at least one.
    package let addresses: Int
    package let period: Duration

    package init(source: Source, addresses: Int, period: Duration) {
      (self.source, self.addresses, self.period) = (source, addresses, period)
    }
  }

  let job: Job
  let start: ContinuousClock.Instant
  var scan = ScanProgress()
  var read = ReadProgress()
  /// Requests that the quota allows now; `nil` without a quota.
  var allowance: Int?
  package var outcome = ScanOutcome()
  package var counters = RunCounters()
  /// Whether a provider refused permanently.
  var isRefused = false
  /// Whether a service of a source did, or its day is spent.
  var isSourceRefused = false
  private(set) var waits = Waits()
  /// The sources whose privacy note was shown.
  private var cautioned: Set<Source> = []
  private var hasSaidUnwatched = false

  package init(of job: Job = Job(), from start: ContinuousClock.Instant = .now) {
    (self.job, self.start) = (job, start)
  }

  /// Records an event and returns the message for it, if any.
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

  /// The exit status: the highest of the reasons and of the signal that ended the run early.
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
    let faults = tally.faults.reduce(into: FaultTally()) {
      $0.failed += $1.failed
      $0.networkLost += $1.networkLost
    }
    if isRefused, failed > 0 || job.isComparison && faults.failed > 0 { reasons.append(.refused) }
    if isSourceRefused, faults.failed > 0 { reasons.append(.refused) }
    failed += faults.failed
    lost += faults.networkLost
    if lost > 0 { reasons.append(.networkLost) }
    let isAllInvalid =
      tally.invalid > 0 && tally.invalid == tally.settled && outcome.unanswered == 0
    let hasDropped = job.dropsLongLines && outcome.lines?.long ?? 0 > 0
    if failed > 0 || isAllInvalid || job.countsInvalid && tally.invalid > 0 || hasDropped {
      reasons.append(.failed)
    }
    return .highest(of: reasons)
  }
}
