package import SondeAsking
package import SondeRecords

/// Collects questions that the providers have answered, or that are not for them, into batches.
package struct AnsweredBatches: Sendable {
  /// The largest number of questions in a batch, since its records wait for the slowest answer.
  static let batchSize = 512

  private var finished: [Batch] = []
  private var current = Batch(mayRepeat: true)
  private var answers = RecordBlock()

  package init() {}

  /// Adds a question: the record so far, with the block of its texts and the entry's number.
  package mutating func append(_ record: Record, of block: borrowing RecordBlock, _ number: UInt64)
  {
    guard let address = record.address else { return }
    let question = Question(number: number, address: address, place: record.place)
    current.append(question, unknownIn: nil, now: .now)
    answers.append(record, of: block)
    if current.questions.count == Self.batchSize { finish() }
  }

  private mutating func finish() {
    guard !current.isEmpty else { return }
    current.answers = answers
    finished.append(current)
    (current, answers) = (Batch(mayRepeat: true), RecordBlock())
  }

  /// The batches, in the order of their entries.
  package consuming func batches() -> [Batch] {
    finish()
    return finished
  }
}
