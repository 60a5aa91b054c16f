import Addresses
import Records

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
  /// What records must be like; `nil` for all.
  var filter: Filter?

  /// Which entries nobody is to be asked about, as no answer could have them written; none where it
  /// is empty.
  func excluded(of entries: EntryBlock) -> [Bool] {
    guard let filter else { return [] }
    let bytes = entries.block.bytes.span
    return entries.block.records.map { record in
      record.isQuestion && filter.verdict(beforeAsking: record, bytes: bytes) == .no
    }
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
  func append(
    _ record: Record,
    bytes: Span<UInt8>,
    of number: UInt64,
    to chunk: inout Chunk
  ) {
    if let rows { return rows.append(record, bytes: bytes, of: number, to: &chunk) }
    if let filter, filter.excludes(record, bytes: bytes) {
      chunk.tally.excluded += 1
      return
    }
    chunk.tally.count(record)
    if let book { return book.settle(number, record, bytes: bytes) }
    // The separator stands before each record; the writer leaves out the first one.
    if record.status == .invalid, let rejects {
      chunk.rejects += rejects.separator
      rejects.append(record, bytes: bytes, to: &chunk.rejects)
    } else {
      chunk.output += main.separator
      main.append(record, bytes: bytes, to: &chunk.output)
    }
    guard listsMissing, record.status == .failed || record.status == .networkLost,
      let address = record.address
    else { return }
    address.append(to: &chunk.missing)
    chunk.missing.append(UInt8(ascii: "\n"))
  }
}
