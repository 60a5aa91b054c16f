import SondeAddresses
package import SondeAsking
import SondeOutputs
import SondeRecords
package import SondeStore

/// What came of a batch.
enum AskResult: Sendable {
  /// Its providers have answered: what is known now, and what sources are still to be asked about.
  case answered([Chunk], awaiting: [Batch])
  /// Its sources have, so that all is known.
  case completed([Chunk])
  /// Cancelled before there were answers, with what is written in their place.
  case cancelled([Chunk])
}

extension Batch {
  /// Asks the providers, or where they have answered the sources, and encodes what is known then; done
  /// in a task.
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

/// The second stage of a scan: questions are gathered into batches, and some of them asked at a time.
///
/// First the providers are asked, of which few batches wait at once; then the sources, whose answers may
/// be hours apart, so that many batches wait for these.
package struct AskStage {
  /// How long an input must be silent before a batch goes out that is not full.
  private static let silence = Duration.milliseconds(200)
  /// How long the first question of a batch waits at most.
  private static let longestWait = Duration.seconds(1)
  /// Of what sources may be asked ahead, each batch under way is reckoned as so many questions, also
  /// where it is a smaller one.
  private static let usualBatch = AnsweredBatches.batchSize / 4

  /// The addresses worth gathering for one request.
  package var batchLimit = Int.max

  /// How many batches may wait for their providers, and for their sources, at once.
  private let limits: (providers: Int, sources: Int)
  private let mayRepeat: Bool
  private var gathering: Batch
  /// A slice, since taking the first of it moves no other.
  private var ready: ArraySlice<Batch> = []
  /// Those that the providers have answered, or that are not for them.
  private var answered: ArraySlice<Batch> = []
  private var underWay = (providers: 0, sources: 0)

  /// Makes a stage without questions.
  ///
  /// - Parameters:
  ///   - limit: How many batches may wait for their answers at once.
  ///   - lookAhead: How many questions the sources are to know at once.
  ///   - mayRepeat: Whether an address may be asked about more than once.
  package init(limit: Int, lookAhead: Int, mayRepeat: Bool) {
    limits = (limit, max(limit, lookAhead / Self.usualBatch))
    self.mayRepeat = mayRepeat
    gathering = Batch(mayRepeat: mayRepeat)
  }

  /// Whether a batch waits for its turn, so that nothing more is to be read; the last of those for
  /// sources can still be added to.
  package var isFull: Bool { !ready.isEmpty || answered.count > 1 }

  /// Whether no batch waits, for its turn or for its answers.
  package var isIdle: Bool { underWay == (0, 0) && ready.isEmpty && answered.isEmpty }

  /// How long the next question may take to come before the batch at hand goes out; `nil` is for
  /// ever.
  package func patience(now: ContinuousClock.Instant) -> Duration? {
    gathering.begin.map { max(.zero, min(Self.silence, $0 + Self.longestWait - now)) }
  }

  /// Gathers questions.
  ///
  /// - Parameters:
  ///   - questions: The questions.
  ///   - view: What was in the cache when it knew none of them.
  ///   - now: This moment.
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

  /// Takes batches that want no provider's answer; small ones that wait for their turn go together.
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

  /// Lets the batch at hand go, full or not.
  package mutating func close() {
    guard !gathering.isEmpty else { return }
    ready.append(gathering)
    let size = min(batchLimit, AnsweredBatches.batchSize)
    gathering = Batch(mayRepeat: mayRepeat, expecting: size)
  }

  /// The next batch to ask, if one more may be under way.
  package mutating func begin() -> Batch? {
    if underWay.sources < limits.sources, var batch = answered.popFirst() {
      underWay.sources += 1
      batch.seal()
      return batch
    }
    guard underWay.providers < limits.providers, let batch = ready.popFirst() else { return nil }
    underWay.providers += 1
    return batch
  }

  /// Notes that the providers have answered a batch.
  package mutating func finish() { underWay.providers -= 1 }

  /// Notes that the sources have answered a batch.
  package mutating func finishSources() { underWay.sources -= 1 }

  /// The batches that are not asked any more.
  mutating func abandon() -> [Batch] {
    close()
    defer { (ready, answered) = ([], []) }
    return Array(ready + answered)
  }
}
