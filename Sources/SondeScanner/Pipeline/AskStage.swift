import SondeAddresses
package import SondeAsking
import SondeOutputs
import SondeRecords
package import SondeStore

/// The result of asking about a batch.
enum AskResult: Sendable {
  /// The providers have answered; with known records, and batches for the sources.
  case answered([Chunk], awaiting: [Batch])
  /// The sources have answered, so that everything is known.
  case completed([Chunk])
  /// Cancelled before there were answers, with what is written instead.
  case cancelled([Chunk])
}

extension Batch {
  /// Asks the providers or, after them, the sources, and encodes the known records; runs in a task.
  func answer(from chain: ProviderChain, with encoder: ChunkEncoder) async -> AskResult {
    do {
      guard answers == nil else {
        return .completed(encoder.chunks(of: try await chain.answers(to: self), to: self))
      }
      let answers = try await chain.lookUp(addresses, newerThan: view)
      let (chunks, awaiting) = encoder.sort(answers, to: self) { chain.awaitsMore(of: $0) }
      return .answered(chunks, awaiting: awaiting)
    } catch {
      return .cancelled(encoder.unansweredRows(of: self))
    }
  }
}

/// The second stage of a scan: collects questions into batches, and asks about several of them at a
/// time.
///
/// The providers are asked first, with few batches waiting; then the sources, whose answers may be
/// hours apart, with many batches waiting.
package struct AskStage {
  /// How long an input must be silent before an incomplete batch is sent.
  private static let silence = Duration.milliseconds(200)
  /// The longest time that the first question of a batch waits.
  private static let longestWait = Duration.seconds(1)
  /// The number of questions per batch when limiting those sent ahead to sources, even if a batch
  /// is smaller.
  private static let usualBatch = AnsweredBatches.batchSize / 4

  /// The largest useful number of addresses per request.
  package var batchLimit = Int.max

  /// The largest numbers of batches that may wait for providers and for sources.
  private let limits: (providers: Int, sources: Int)
  /// The largest number of questions whose records wait for one another's sources.
  private let sourceBatch: Int
  private let mayRepeat: Bool
  private var gathering: Batch
  /// A slice, so that removing its first element moves no other.
  private var ready: ArraySlice<Batch> = []
  /// Batches that the providers have answered, or that are not for them.
  private var answered: ArraySlice<Batch> = []
  private var underWay = (providers: 0, sources: 0)

  /// Creates a stage without questions; at most `limit` batches wait for answers.
  ///
  /// Sources accept `lookAhead` questions in advance, and at most `sourceBatch` at a time. With
  /// `mayRepeat`, an address may be asked about repeatedly.
  package init(limit: Int, lookAhead: Int, sourceBatch: Int = .max, mayRepeat: Bool) {
    limits = (limit, max(limit, lookAhead / min(Self.usualBatch, sourceBatch)))
    self.sourceBatch = sourceBatch
    self.mayRepeat = mayRepeat
    gathering = Batch(mayRepeat: mayRepeat)
  }

  /// Whether a batch waits for its turn, so that no more entries are read; the last one for sources
  /// may still grow.
  package var isFull: Bool { !ready.isEmpty || answered.count > 1 }

  /// Whether no batch waits for its turn or for answers.
  package var isIdle: Bool { underWay == (0, 0) && ready.isEmpty && answered.isEmpty }

  /// How long to wait for the next question before the current batch is sent; `nil` for no limit.
  package func patience(now: ContinuousClock.Instant) -> Duration? {
    gathering.begin.map { max(.zero, min(Self.silence, $0 + Self.longestWait - now)) }
  }

  /// Adds questions whose answers were not found in a view of the cache.
  package mutating func take(
    _ questions: [Question],
    unknownIn view: StoreView?,
    now: ContinuousClock.Instant
  ) {
    for question in questions {
      gathering.append(question, unknownIn: view, now: now)
      if gathering.addresses.count >= batchLimit { close() }
    }
    if let begin = gathering.begin, now - begin >= Self.longestWait { close() }
  }

  /// Adds batches that need no provider; small waiting ones are merged.
  package mutating func take(answered batches: [Batch]) {
    for batch in batches {
      if let last = answered.indices.last,
        answered[last].questions.count + batch.questions.count <= AnsweredBatches.batchSize
      {
        answered[last].append(batch)
      } else {
        answered.append(batch)
      }
    }
  }

  /// Sends the current batch, complete or not.
  package mutating func close() {
    guard !gathering.isEmpty else { return }
    ready.append(gathering)
    let size = min(batchLimit, AnsweredBatches.batchSize)
    gathering = Batch(mayRepeat: mayRepeat, expecting: size)
  }

  /// The next batch to ask about, if one more may be running.
  mutating func begin() -> Batch? {
    if underWay.sources < limits.sources, var batch = answered.popFirst() {
      underWay.sources += 1
      let parts = batch.parts(of: sourceBatch)
      answered = parts.dropFirst() + answered
      batch = parts[0]
      batch.seal()
      return batch
    }
    guard underWay.providers < limits.providers, let batch = ready.popFirst() else { return nil }
    underWay.providers += 1
    return batch
  }

  /// Starts a task for each batch that may be asked about.
  package mutating func start<Step: Sendable>(
    asking chain: ProviderChain,
    in group: inout TaskGroup<Step>,
    _ work: @escaping @Sendable (Batch) async -> Step
  ) {
    while let batch = begin() {
      // A batch that waits for the quota enters the queue immediately, so that the earlier one
      // is asked first; one that only computes runs in parallel.
      if chain.asksRemotely || batch.answers != nil {
        group.addImmediateTask { await work(batch) }
      } else {
        group.addTask { await work(batch) }
      }
    }
  }

  /// Records that the providers have answered a batch.
  package mutating func finish() { underWay.providers -= 1 }

  /// Records that the sources have answered a batch.
  package mutating func finishSources() { underWay.sources -= 1 }

  /// Removes and returns the batches that will not be sent.
  mutating func abandon() -> [Batch] {
    close()
    defer { (ready, answered) = ([], []) }
    return Array(ready + answered)
  }
}
