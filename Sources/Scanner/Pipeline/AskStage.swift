import Addresses
import Records
import Store

/// What came of a batch.
enum AskResult: Sendable {
  case answered([Chunk])
  /// Cancelled before there were answers, with what is written in their place.
  case cancelled([Chunk])
}

/// An entry that wants an answer.
struct Question: Sendable {
  /// The entry's number among all that the reader delivers.
  var number: UInt64
  var address: Address
  /// Where it stands in the input, for the record.
  var line: UInt64
  var input: UInt32
}

/// Questions that are asked together.
struct Batch: Sendable {
  private(set) var questions: [Question] = []

  /// The addresses of the questions, each once.
  private(set) var addresses: [Address] = []

  /// When the first question came.
  private(set) var begin: ContinuousClock.Instant?

  /// What was in the cache when it knew none of the addresses; `nil` where it has to be asked.
  private(set) var view: StoreView?

  /// What the providers have answered to each question, where only sources are to be asked.
  var answers: RecordBlock?

  /// Where each address stands, kept only while one may come twice.
  private var positions: [Address: Int]?

  /// - Parameter mayRepeat: Whether several questions may be about one address.
  init(mayRepeat: Bool) { positions = mayRepeat ? [:] : nil }

  var isEmpty: Bool { questions.isEmpty }

  /// Adds a question.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - view: What was in the cache when it did not know the address.
  ///   - now: This moment.
  mutating func append(
    _ question: Question,
    unknownIn view: StoreView?,
    now: ContinuousClock.Instant
  ) {
    if begin == nil { (begin, self.view) = (now, view) }
    if view == nil { self.view = nil }
    questions.append(question)
    if positions?[question.address] == nil {
      positions?[question.address] = addresses.count
      addresses.append(question.address)
    }
  }

  /// Which of the addresses a question is about.
  func address(of index: Int) -> Int { positions?[questions[index].address] ?? index }

  /// Which of the records is the answer to a question.
  func position(of index: Int) -> Int { answers == nil ? address(of: index) : index }

  /// Asks, and encodes the answers; done in a task.
  func answer(from chain: ProviderChain, with encoder: ChunkEncoder) async -> AskResult {
    do {
      let answers = try await chain.answers(to: self)
      return .answered(encoder.chunks(of: answers, to: self))
    } catch {
      return .cancelled(encoder.unansweredRows(of: self))
    }
  }
}

/// The second stage of a scan: questions are gathered into batches, and some of them asked at a time.
struct AskStage {
  /// How long an input must be silent before a batch goes out that is not full.
  private static let silence = Duration.milliseconds(200)
  /// How long the first question of a batch waits at most.
  private static let longestWait = Duration.seconds(1)

  /// The addresses worth gathering for one request.
  var batchLimit = Int.max

  /// How many batches may wait for their answers at once.
  private let limit: Int
  private let mayRepeat: Bool
  private var gathering: Batch
  /// A slice, since taking the first of it moves no other.
  private var ready: ArraySlice<Batch> = []
  private var underWay = 0

  /// Makes a stage without questions.
  ///
  /// - Parameters:
  ///   - limit: How many batches may wait for their answers at once.
  ///   - mayRepeat: Whether an address may be asked about more than once.
  init(limit: Int, mayRepeat: Bool) {
    (self.limit, self.mayRepeat) = (limit, mayRepeat)
    gathering = Batch(mayRepeat: mayRepeat)
  }

  /// Whether a batch waits for its turn, so that nothing more is to be read.
  var isFull: Bool { !ready.isEmpty }

  /// Whether no batch waits, for its turn or for its answers.
  var isIdle: Bool { underWay == 0 && ready.isEmpty }

  /// How long the next question may take to come before the batch at hand goes out; `nil` is for
  /// ever.
  func patience(now: ContinuousClock.Instant) -> Duration? {
    gathering.begin.map { max(.zero, min(Self.silence, $0 + Self.longestWait - now)) }
  }

  /// Gathers questions.
  ///
  /// - Parameters:
  ///   - questions: The questions.
  ///   - view: What was in the cache when it knew none of them.
  ///   - now: This moment.
  mutating func take(
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

  /// Takes batches that want no provider's answer.
  mutating func take(answered batches: [Batch]) { ready += batches }

  /// Lets the batch at hand go, full or not.
  mutating func close() {
    guard !gathering.isEmpty else { return }
    ready.append(gathering)
    gathering = Batch(mayRepeat: mayRepeat)
  }

  /// The next batch to ask, if one more may be under way.
  mutating func begin() -> Batch? {
    guard underWay < limit, let batch = ready.popFirst() else { return nil }
    underWay += 1
    return batch
  }

  /// Notes that a batch is answered.
  mutating func finish() { underWay -= 1 }

  /// The batches that are not asked any more.
  mutating func abandon() -> [Batch] {
    close()
    defer { ready = [] }
    return Array(ready)
  }
}
