import SondeAsking
import SondeInputs
import SondeOutputs
import SondeRecords

/// The stages of a run (read, ask, write) and the values they exchange.
struct Stages {
  /// The result of a task.
  enum Step: Sendable {
    case read(ReadResult)
    case asked(AskResult)
    /// Written output is due to be committed.
    case commitDue

    var isCancelled: Bool {
      switch self {
      case .read(.cancelled), .asked(.cancelled): true
      case .read, .asked, .commitDue: false
      }
    }
  }

  private(set) var read: ReadStage
  private(set) var ask: AskStage
  var write: WriteStage

  private let chain: ProviderChain?
  private let encoder: ChunkEncoder
  private var awaitsCommit = false

  init(
    _ reader: EntryReader,
    _ chain: ProviderChain?,
    _ outputs: Outputs,
    consumer: (any RecordConsumer)?,
    _ rules: Scan.Rules,
    _ journal: Journal?
  ) {
    self.chain = chain
    let groups =
      rules.leastGroup > 1
      ? PlaceGroups(least: rules.leastGroup, mayRepeat: rules.keepsDuplicates) : nil
    encoder = outputs.encoder(for: consumer, filter: rules.filter, groups: groups)
    write = WriteStage(
      outputs,
      consumer: consumer,
      groups: groups,
      isUnordered: rules.isUnordered,
      journal: journal,
      readMark: { reader.progress.mark }
    )
    read = ReadStage(reader, chain, encoder, written: write.settled)
    ask = AskStage(
      limit: rules.batches,
      lookAhead: chain?.lookAhead ?? 0,
      sourceBatch: chain?.sourceBatch ?? .max,
      mayRepeat: rules.keepsDuplicates
    )
  }

  var progress: ScanProgress {
    var progress = ScanProgress()
    progress.tally = withDuplicates(write.written)
    progress.earlier = write.earlier
    progress.entriesRead = Int(read.entries) + read.duplicates + read.excluded
    progress.isInputRead = read.isFinished
    return progress
  }

  /// The counts of committed records, and of duplicates.
  var tally: Tally { withDuplicates(write.tally) }

  private func withDuplicates(_ written: Tally) -> Tally {
    var tally = written
    tally.excluded += read.excluded
    tally.duplicates += read.duplicates
    tally.entries = tally.settled + tally.duplicates
    return tally
  }

  /// Applies the result of a task; returns the errors of an input.
  mutating func take(_ step: Step) -> [InputError] {
    let known = read.failures.count
    switch step {
    case .read(let result):
      read.take(result)
      switch result {
      case .entries(let entries):
        write.take(entries.chunks)
        ask.take(answered: entries.answered)
        ask.take(entries.questions, unknownIn: entries.view, now: .now)
      case .silence, .end: ask.close()
      case .failure, .cancelled: break
      }
    case .asked(.answered(let chunks, let awaiting)):
      ask.finish()
      ask.take(answered: awaiting)
      write.take(chunks)
    case .asked(.completed(let chunks)):
      ask.finishSources()
      write.take(chunks)
    // After this, nothing more is asked.
    case .asked(.cancelled(let chunks)): write.take(chunks)
    case .commitDue: awaitsCommit = false
    }
    return Array(read.failures[known...])
  }

  /// Starts all tasks that may run.
  mutating func start(in group: inout TaskGroup<Step>) {
    if let chain { startAsking(chain, in: &group) }
    while read.mayRead(released: write.released), !ask.isFull {
      let work = read.begin(patience: ask.patience(now: .now))
      group.addTask { .read(await work()) }
    }
    awaitCommit(in: &group)
  }

  /// Whether all started work is finished.
  var isFinished: Bool { read.isFinished && ask.isIdle }

  /// Schedules the next commit of written output.
  private mutating func awaitCommit(in group: inout TaskGroup<Step>) {
    guard let time = write.nextCommit, !awaitsCommit, !isFinished else { return }
    awaitsCommit = true
    group.addTask {
      try? await Task.sleep(until: time, clock: .continuous)
      return .commitDue
    }
  }

  private mutating func startAsking(_ chain: ProviderChain, in group: inout TaskGroup<Step>) {
    ask.batchLimit = chain.batchLimit
    // No running task can unblock the reader.
    let isStuck = read.isIdle && ask.isIdle && !read.mayRead(released: write.released)
    if isStuck { ask.close() }
    ask.start(asking: chain, in: &group) { [encoder] batch in
      .asked(await batch.answer(from: chain, with: encoder))
    }
  }

  /// Writes the rest, and ends the outputs; if final, nothing is appended to them later.
  mutating func finish(isFinal: Bool = false) async throws(OutputError) {
    for batch in ask.abandon() { write.take(encoder.unansweredRows(of: batch)) }
    try await write.finish(isFinal: isFinal, isComplete: isFinished)
  }
}
