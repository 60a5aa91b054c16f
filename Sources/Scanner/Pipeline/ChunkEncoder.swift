import Addresses
import Records

/// Encodes records into chunks, each for the output that it belongs to.
///
/// A value, so that many tasks can do it at once.
struct ChunkEncoder: Sendable {
  let main: RecordEncoder
  let rejects: RecordEncoder?
  let listsMissing: Bool
  /// Counts records instead of encoding them, where they are counted.
  let book: SummaryBook?
  /// Puts answers into the rows that the entries are, where they are rows.
  var rows: RowEncoder?
  /// What records must be like; `nil` for all.
  let filter: Filter?
  /// Whether there are records of which that is told only by their answers.
  private let isFilteredLate: Bool

  /// Makes an encoder.
  init(
    main: RecordEncoder,
    rejects: RecordEncoder? = nil,
    listsMissing: Bool = false,
    book: SummaryBook? = nil,
    rows: RowEncoder? = nil,
    filter: Filter? = nil
  ) {
    (self.main, self.rejects, self.listsMissing) = (main, rejects, listsMissing)
    (self.book, self.rows, self.filter) = (book, rows, filter)
    isFilteredLate = filter?.isDecidedEarly == false
  }

  /// Which entries are left out, as no answer could have them written; none where it is empty.
  ///
  /// Where nobody need be asked to tell, no other will be.
  func excluded(of entries: EntryBlock) -> [Bool] {
    guard let filter else { return [] }
    if filter.isDecidedEarly { return filter.excluded(of: entries.block) }
    let bytes = entries.block.bytes.span
    return entries.block.records.map { record in
      record.isQuestion && filter.verdict(beforeAsking: record, bytes: bytes) == .no
    }
  }

  /// What tables say of the addresses of some records, looked up together.
  func added(to records: [Record]) -> AddedBlock {
    rows == nil && book == nil ? main.added(to: records) : .none
  }

  /// Encodes the answers to a batch.
  func chunks(of answers: RecordBlock, to batch: Batch) -> [Chunk] {
    var chunks = ChunkList(expecting: batch.questions.count)
    let added = added(to: answers.records)
    for (index, question) in batch.questions.enumerated() {
      let position = batch.position(of: index)
      var record = answers.records[position]
      record.place = question.place
      let entry = Entry(number: question.number, added: added, index: position)
      chunks.append(entry.number) {
        append(record, bytes: answers.bytes.span, of: entry, to: &$0)
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

  /// The entry of a record that is encoded.
  struct Entry {
    let number: UInt64
    /// What tables say of its address and of others.
    let added: AddedBlock
    /// Which of these addresses it has.
    let index: Int
  }

  /// Appends a record to the output that it belongs to.
  func append(_ record: Record, bytes: Span<UInt8>, of entry: Entry, to chunk: inout Chunk) {
    if let rows { return rows.append(record, bytes: bytes, of: entry.number, to: &chunk) }
    if isFilteredLate, filter?.excludes(record, bytes: bytes) == true {
      chunk.tally.excluded += 1
      return
    }
    chunk.tally.count(record)
    if let book { return book.settle(entry.number, record, bytes: bytes) }
    // The separator stands before each record; the writer leaves out the first one.
    if record.status == .invalid, let rejects {
      chunk.rejects += rejects.separator
      rejects.append(record, bytes: bytes, to: &chunk.rejects)
    } else {
      chunk.output += main.separator
      main.append(record, bytes: bytes, beside: entry.added, at: entry.index, to: &chunk.output)
    }
    guard listsMissing, record.status == .failed || record.status == .networkLost,
      let address = record.address
    else { return }
    address.append(to: &chunk.missing)
    chunk.missing.append(UInt8(ascii: "\n"))
  }
}
