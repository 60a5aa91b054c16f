import Addresses
import Records
import Store

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
  func position(of index: Int) -> Int { positions?[questions[index].address] ?? index }
}
