import SondeAddresses
import SondeAsking
import SondeInputs
import SondeOutputs
package import SondeRecords

/// Encodes records into chunks, each for the output that it belongs to.
///
/// A value, so that many tasks can do it at once.
package struct ChunkEncoder: Sendable {
  let main: RecordEncoder
  let rejects: RecordEncoder?
  let listsMissing: Bool
  /// Takes the records in place of the outputs, if anything does.
  let consumer: (any RecordConsumer)?
  /// What records must be like; `nil` for all.
  let filter: Filter?
  /// Whether there are records of which that is told only by their answers.
  private let isFilteredLate: Bool

  /// Makes an encoder.
  init(
    main: RecordEncoder,
    rejects: RecordEncoder? = nil,
    listsMissing: Bool = false,
    consumer: (any RecordConsumer)? = nil,
    filter: Filter? = nil
  ) {
    (self.main, self.rejects, self.listsMissing) = (main, rejects, listsMissing)
    (self.consumer, self.filter) = (consumer, filter)
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
    consumer == nil ? main.added(to: records) : .none
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
    guard let consumer, consumer.holdsRows else { return [] }
    var chunks = ChunkList(expecting: batch.questions.count)
    for question in batch.questions {
      chunks.append(question.number) { consumer.appendUnanswered(question.number, to: &$0) }
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
    if let consumer {
      return consumer.append(record, bytes: bytes, of: entry.number, to: &chunk)
    }
    if isFilteredLate, filter?.excludes(record, bytes: bytes) == true {
      chunk.tally.excluded += 1
      return
    }
    chunk.tally.count(record)
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

extension Outputs {
  /// Encodes records for them, in any task.
  ///
  /// - Parameters:
  ///   - consumer: Takes the records in their place, if anything does.
  ///   - filter: What records must be like; `nil` for all.
  /// - Returns: The encoder.
  package func encoder(for consumer: (any RecordConsumer)?, filter: Filter? = nil) -> ChunkEncoder {
    ChunkEncoder(
      main: main.encoder,
      rejects: rejects?.encoder,
      listsMissing: missing != nil,
      consumer: consumer,
      filter: filter
    )
  }
}
