public import SondeInputs
import SondeRecords
import SondeStore
import SondeSystem
import Synchronization

/// The journal of a running scan, to which its progress is written after each output.
public final class Journal: Sendable {
  /// The time between two syncs, and the share of time that they may take.
  private static let syncInterval = Duration.seconds(5)
  private static let syncShare = 25

  private struct State {
    var checkpoint: Checkpoint
    var number: UInt64
    var syncs: UInt64
    var nextSync = ContinuousClock.now + Journal.syncInterval
    var counters: @Sendable () -> RunCounters = { RunCounters() }
  }

  private let file: JournalFile
  private let state: Mutex<State>
  /// The counters of earlier runs.
  public let earlier: RunCounters
  package let hashes: OutputHashes

  private init(
    _ file: JournalFile,
    _ checkpoint: Checkpoint,
    number: UInt64,
    syncs: UInt64,
    hashes: OutputHashes = OutputHashes()
  ) {
    (self.file, self.hashes, earlier) = (file, hashes, checkpoint.counters)
    state = Mutex(State(checkpoint: checkpoint, number: number, syncs: syncs))
  }

  /// Begins a journal without progress, next to the output.
  ///
  /// A scan can only be resumed with an equal `job`. Throws ``ResumeError`` if the journal cannot
  /// be created, for example because there is one, and ``OutputError`` if the disk is full.
  public static func begin(path: String, job: ScanJob) throws -> Journal {
    let file = try JournalFile(path: path, isNew: true)
    let checkpoint = Checkpoint()
    do {
      try file.write(job)
      try file.write(checkpoint, number: 1, safety: .powerFailure, turn: 1)
    } catch {
      file.remove()
      throw error
    }
    return Journal(file, checkpoint, number: 1, syncs: 1)
  }

  /// Resumes a journal and its outputs.
  ///
  /// After a power failure, a file may be shorter than the latest checkpoint states; then the
  /// latest checkpoint is used for which all files are long enough.
  /// - Parameters:
  ///   - path: The journal's path.
  ///   - job: The current scan, which must be the same as at the start.
  ///   - inputs: The inputs, which must begin with what was read from them.
  ///   - range: Only lines that start in this range are read; `nil` for all.
  ///   - outputs: The output files, which are truncated to the journal's state.
  /// - Returns: The journal, sinks that append to the outputs, and the original names of the
  ///   inputs.
  /// - Throws: ``ResumeError`` if a requirement is not met.
  public static func resume(
    path: String,
    job: ScanJob,
    inputs: [Input],
    range: Range<Int>? = nil,
    outputs: OutputPaths
  ) throws(ResumeError) -> (journal: Journal, sinks: OutputSinks, names: [String]) {
    let file = try JournalFile(path: path, isNew: false)
    let all = file.read()
    guard let newest = all.first, let earlier = file.readJob() else {
      throw ResumeError(
        "\(path) is no journal, or a damaged one; remove it and the output to begin anew"
      )
    }
    if let difference = job.difference(from: earlier) {
      throw ResumeError(
        "\(difference); give what it was, or remove \(path) and the output to begin anew"
      )
    }
    let (checkpoint, files) = try outputs.open(atOneOf: all.map(\.checkpoint))
    try checkpoint.inputs.check(inputs, as: earlier, job, range: range)
    try files.cut()
    let journal = Journal(
      file,
      checkpoint,
      number: newest.number,
      syncs: all.first { $0.safety == .powerFailure }?.turn ?? 1,
      hashes: files.hashes
    )
    return (journal, files.sinks, earlier.inputNames)
  }

  /// The value of an option of the scan that a journal belongs to; `nil` if the journal is damaged,
  /// in use or of a version that did not know the option.
  public static func value(of option: String, in path: String) -> String? {
    let job = (try? JournalFile(path: path, isNew: false))?.readJob()
    return job?.options.first { $0.name == option }?.value
  }

  /// Sets the source of this run's counters.
  public func count(_ counters: @escaping @Sendable () -> RunCounters) {
    state.withLock { $0.counters = counters }
  }

  /// The checkpoint from which the scan is resumed.
  package var checkpoint: Checkpoint { state.withLock { $0.checkpoint } }

  /// Writes the scan's progress.
  package func record(_ note: (inout Checkpoint) -> Void) throws(OutputError) {
    var total = earlier
    let count = state.withLock { $0.counters }
    total += count()
    let (checkpoint, number) = state.withLock { state in
      note(&state.checkpoint)
      state.checkpoint.counters = total
      state.number += 1
      return (state.checkpoint, state.number)
    }
    try file.write(checkpoint, number: number, safety: .kill, turn: number)
  }

  /// Whether any checkpoint survives a power failure; then the end of the scan must, too.
  package var hasSynced: Bool { state.withLock { $0.syncs > 1 } }

  package var isSyncDue: Bool { state.withLock { $0.nextSync <= .now } }

  /// Makes the last checkpoint survive a power failure; the outputs are already on disk.
  ///
  /// `begin` is when their sync started.
  package func sync(begun begin: ContinuousClock.Instant) throws(OutputError) {
    let (checkpoint, number, turn) = state.withLock { state in
      state.syncs += 1
      state.number += 1
      return (state.checkpoint, state.number, state.syncs)
    }
    try file.write(checkpoint, number: number, safety: .powerFailure, turn: turn)
    try file.sync()
    let end = ContinuousClock.now
    let pause = max(Self.syncInterval, (end - begin) * Self.syncShare)
    state.withLock { $0.nextSync = end + pause }
  }

  /// Removes the journal, because the scan is complete or cannot start.
  public func remove() { file.remove() }
}
