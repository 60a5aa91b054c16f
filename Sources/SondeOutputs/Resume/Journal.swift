public import SondeInputs
import SondeRecords
import SondeStore
import SondeSystem
import Synchronization

/// The journal of a scan under way: writes how far it is after everything that it writes.
public final class Journal: Sendable {
  /// The time between two waits for the disk, and the part of the whole time that they may take.
  private static let syncInterval = Duration.seconds(5)
  private static let syncShare = 25

  private struct State {
    var checkpoint: Checkpoint
    var number: UInt64
    var syncs: UInt64
    var nextSync = ContinuousClock.now + Journal.syncInterval
    /// What this run has come to.
    var counters: @Sendable () -> RunCounters = { RunCounters() }
  }

  private let file: JournalFile
  private let state: Mutex<State>
  /// What the runs before this one came to.
  public let earlier: RunCounters
  package let hashes: OutputHashes

  private init(
    _ file: JournalFile,
    _ checkpoint: Checkpoint,
    number: UInt64,
    syncs: UInt64,
    hashes: OutputHashes = OutputHashes()
  ) {
    self.file = file
    self.hashes = hashes
    earlier = checkpoint.counters
    state = Mutex(State(checkpoint: checkpoint, number: number, syncs: syncs))
  }

  /// Begins a journal.
  ///
  /// - Parameters:
  ///   - path: The journal's path, beside the output.
  ///   - job: What must be the same for this scan to be resumed.
  /// - Returns: The journal, with nothing done.
  /// - Throws: ``ResumeError`` when it cannot be made, for instance because there is one, and
  ///   ``OutputError`` when there is no room for it.
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

  /// Takes up a journal, and the outputs that it tells of.
  ///
  /// After a power failure, a file may be shorter than the newest checkpoint says; then the newest one
  /// that it is long enough for is taken.
  ///
  /// - Parameters:
  ///   - path: The journal's path.
  ///   - job: What this scan is; it must be the same as at the beginning.
  ///   - inputs: The inputs, which must begin with what was read of them.
  ///   - range: The bytes of them of which the lines that begin there are read; all where it is `nil`.
  ///   - outputs: The files of the outputs, each of which is cut to what the journal says.
  /// - Returns: The journal, sinks that append to what is written, and what the inputs were called
  ///   at the beginning.
  /// - Throws: ``ResumeError`` when that is not so.
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

  /// Says where the counters of this run come from.
  public func count(_ counters: @escaping @Sendable () -> RunCounters) {
    state.withLock { $0.counters = counters }
  }

  /// Where the scan is resumed.
  package var checkpoint: Checkpoint { state.withLock { $0.checkpoint } }

  /// Writes how far the scan is.
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

  /// Whether anything in it outlasts a power failure: then so must the end of the scan.
  package var hasSynced: Bool { state.withLock { $0.syncs > 1 } }

  /// Whether it is time to wait for the disk.
  package var isSyncDue: Bool { state.withLock { $0.nextSync <= .now } }

  /// Writes what was recorded last in such a way that it outlasts a power failure; the outputs are
  /// on the disk already.
  ///
  /// - Parameter begin: When waiting for them began.
  /// - Throws: ``OutputError`` when the disk takes no more.
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

  /// Takes the journal away: the scan is complete, or cannot begin.
  public func remove() { file.remove() }
}
