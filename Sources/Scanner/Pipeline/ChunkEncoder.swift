import Addresses
import Records
import Store

/// Encodes records into chunks, each for the output that it belongs to.
///
/// A value, so that many tasks can do it at once.
struct ChunkEncoder: Sendable {
  let main: RecordEncoder
  var rejects: RecordEncoder?
  var listsMissing = false
  /// Counts records instead of encoding them, where they are counted.
  var book: SummaryBook?
  /// Puts answers into the rows that the entries are, where they are rows.
  var rows: RowEncoder?

  /// Sorts entries: what is known of them is encoded, what is not is left as questions.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - known: The answers that need no question, by the positions of their addresses among those
  ///     that want one; `nil` where nobody is asked, so that the entries are their own records.
  ///   - written: The entries whose records are in the outputs.
  /// - Returns: What they are now.
  func sort(
    _ entries: EntryBlock,
    known: KnownAnswers?,
    except written: WrittenEntries
  ) -> SortedEntries {
    main.prepare(for: entries.block.records)
    var chunks = ChunkList(expecting: entries.block.records.count)
    var sorted = SortedEntries(entries, view: known?.view)
    var answers = AnswerWalk(known)
    for (index, record) in entries.block.records.enumerated() {
      let number = entries.first + UInt64(index)
      let wantsAnswer = known != nil && record.isQuestion
      let answer = wantsAnswer ? answers.next() : nil
      if written.contains(number) { continue }
      if var answer, let known {
        (answer.line, answer.input) = (record.line, record.input)
        chunks.append(number) { append(answer, bytes: known.block.bytes.span, of: number, to: &$0) }
      } else if wantsAnswer, let address = record.address {
        sorted.questions.append(
          Question(number: number, address: address, line: record.line, input: record.input)
        )
      } else {
        chunks.append(number) {
          append(record, bytes: entries.block.bytes.span, of: number, to: &$0)
        }
      }
    }
    sorted.chunks = chunks.chunks()
    return sorted
  }

  /// Encodes the answers to a batch.
  func chunks(of answers: RecordBlock, to batch: Batch) -> [Chunk] {
    var chunks = ChunkList(expecting: batch.questions.count)
    for (index, question) in batch.questions.enumerated() {
      var record = answers.records[batch.position(of: index)]
      (record.line, record.input) = (question.line, question.input)
      chunks.append(question.number) {
        append(record, bytes: answers.bytes.span, of: question.number, to: &$0)
      }
    }
    return chunks.chunks()
  }

  /// The rows that a batch asks about as they are, for an end before the answers; nothing where there
  /// are no rows.
  func unansweredRows(of batch: Batch) -> [Chunk] {
    guard let rows else { return [] }
    var chunks = ChunkList(expecting: batch.questions.count)
    for question in batch.questions {
      chunks.append(question.number) { rows.appendUnanswered(question.number, to: &$0) }
    }
    return chunks.chunks()
  }

  /// Appends a record to the output that it belongs to.
  private func append(
    _ record: Record,
    bytes: Span<UInt8>,
    of number: UInt64,
    to chunk: inout Chunk
  ) {
    if let rows { return rows.append(record, bytes: bytes, of: number, to: &chunk) }
    chunk.tally.count(record)
    if let book { return book.settle(number, record, bytes: bytes) }
    if record.status == .invalid, let rejects {
      append(record, bytes, with: rejects, to: &chunk.rejects)
    } else {
      append(record, bytes, with: main, to: &chunk.output)
    }
    guard listsMissing, record.status == .failed || record.status == .networkLost,
      let address = record.address
    else { return }
    address.append(to: &chunk.missing)
    chunk.missing.append(UInt8(ascii: "\n"))
  }

  /// The separator stands before each record; the writer leaves out the first one.
  private func append(
    _ record: Record,
    _ bytes: Span<UInt8>,
    with encoder: RecordEncoder,
    to output: inout [UInt8]
  ) {
    output += encoder.separator
    encoder.append(record, bytes: bytes, to: &output)
  }
}

extension Record {
  /// Whether an entry wants an answer, before there is one: a row that is kept as it is has no address.
  var isQuestion: Bool { status == .ok && address != nil }
}

/// Walks along the entries that want an answer, and has those that are known.
private struct AnswerWalk {
  private let known: KnownAnswers?
  private var position = 0
  private var index = 0

  init(_ known: KnownAnswers?) { self.known = known }

  /// The answer to the next entry; `nil` where it is not known.
  mutating func next() -> Record? {
    guard let known else { return nil }
    defer { position += 1 }
    guard index < known.positions.count, known.positions[index] == position else { return nil }
    index += 1
    return known.block.records[index - 1]
  }
}

/// Entries after the first stage.
struct SortedEntries: Sendable {
  /// The records that are known already.
  var chunks: [Chunk] = []
  /// What is to be asked.
  var questions: [Question] = []
  /// What was in the cache when it knew none of that.
  let view: StoreView?
  /// How many entries there were.
  let count: Int
  /// How many more there were that are duplicates.
  let duplicates: Int
  /// What is wrong with the input itself.
  let faults: [InputError]

  init(_ entries: EntryBlock, view: StoreView?) {
    (count, duplicates, faults) = (entries.block.records.count, entries.duplicates, entries.faults)
    self.view = view
  }
}
