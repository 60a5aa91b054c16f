import SondeAddresses
import SondeAsking
import SondeInputs
import SondeOutputs
package import SondeRecords

/// Encodes records into the chunks of their outputs.
///
/// It is a value, so that many tasks can use it concurrently.
package struct ChunkEncoder: Sendable {
  let main: RecordEncoder
  let rejects: RecordEncoder?
  let listsMissing: Bool
  /// Receives the records instead of the outputs, if set.
  let consumer: (any RecordConsumer)?
  /// The filter of records; `nil` for none.
  let filter: Filter?
  /// The groups whose places may be left out at the end; `nil` if all stay.
  let groups: PlaceGroups?
  /// Whether the filter depends on answers for some records.
  private let isFilteredLate: Bool

  init(
    main: RecordEncoder,
    rejects: RecordEncoder? = nil,
    listsMissing: Bool = false,
    consumer: (any RecordConsumer)? = nil,
    filter: Filter? = nil,
    groups: PlaceGroups? = nil
  ) {
    (self.main, self.rejects, self.listsMissing) = (main, rejects, listsMissing)
    (self.consumer, self.filter, self.groups) = (consumer, filter, groups)
    isFilteredLate = filter?.isDecidedEarly == false
  }

  /// Which entries are excluded whatever their answers; empty if none are.
  ///
  /// If the filter needs no answers, no other entries will be excluded.
  func excluded(of entries: EntryBlock) -> [Bool] {
    guard let filter else { return [] }
    if filter.isDecidedEarly { return filter.excluded(of: entries.block) }
    let bytes = entries.block.bytes.span
    return entries.block.records.map { record in
      record.isQuestion && filter.verdict(beforeAsking: record, bytes: bytes) == .no
    }
  }

  /// The values of immediate sources for some records' addresses, looked up together.
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
      chunks.append(entry.number) { append(record, bytes: answers.bytes.span, of: entry, to: &$0) }
    }
    return chunks.chunks()
  }

  /// The unchanged rows of a batch, for an end before its answers; empty unless the entries are
  /// rows.
  func unansweredRows(of batch: Batch) -> [Chunk] {
    guard let consumer, consumer.holdsRows else { return [] }
    var chunks = ChunkList(expecting: batch.questions.count)
    for question in batch.questions {
      chunks.append(question.number) { consumer.appendUnanswered(question.number, to: &$0) }
    }
    return chunks.chunks()
  }

  /// The entry of a record being encoded.
  struct Entry {
    let number: UInt64
    /// The values of immediate sources for several addresses.
    let added: AddedBlock
    /// The index of the entry's address among these.
    let index: Int
  }

  func append(_ record: Record, bytes: Span<UInt8>, of entry: Entry, to chunk: inout Chunk) {
    if let consumer { return consumer.append(record, bytes: bytes, of: entry.number, to: &chunk) }
    defer { main.release(record) }
    guard isFilteredLate, let filter else { return encode(record, bytes, of: entry, to: &chunk) }
    guard !filter.isRepeated(record, bytes: bytes) else {
      chunk.tally.duplicates += 1
      return
    }
    guard !filter.excludes(record, bytes: bytes) else {
      chunk.tally.excluded += 1
      return
    }
    var counted = record
    counted.totals = filter.totals(of: record, bytes: bytes)
    encode(counted, bytes, of: entry, to: &chunk)
  }

  /// Encodes a record that is not excluded for its outputs.
  private func encode(
    _ record: Record,
    _ bytes: Span<UInt8>,
    of entry: Entry,
    to chunk: inout Chunk
  ) {
    chunk.tally.count(record)
    // The separator precedes each record; the writer omits the first one.
    if record.status == .invalid, let rejects {
      chunk.rejects += rejects.separator
      rejects.append(record, bytes: bytes, to: &chunk.rejects)
    } else {
      chunk.output += main.separator
      appendMain(record, bytes: bytes, of: entry, to: &chunk)
    }
    guard listsMissing, record.status == .failed || record.status == .networkLost,
      let address = record.address
    else { return }
    address.append(to: &chunk.missing)
    chunk.missing.append(UInt8(ascii: "\n"))
  }
}

extension ChunkEncoder {
  /// Encodes a record for the main output; with and without its place if that is decided later.
  private func appendMain(
    _ record: Record,
    bytes: Span<UInt8>,
    of entry: Entry,
    to chunk: inout Chunk
  ) {
    guard let groups, record.hasPlace else {
      return main.append(
        record,
        bytes: bytes,
        beside: entry.added,
        at: entry.index,
        to: &chunk.output
      )
    }
    chunk.append(of: groups.count(record, bytes)) { output in
      main.append(record, bytes: bytes, beside: entry.added, at: entry.index, to: &output)
    } bare: { output in
      let bare = record.withoutPlace
      main.append(bare, bytes: bytes, beside: entry.added, at: entry.index, to: &output)
    }
  }
}

extension Outputs {
  /// Creates an encoder for these outputs, for use in any task.
  package func encoder(
    for consumer: (any RecordConsumer)?,
    filter: Filter? = nil,
    groups: PlaceGroups? = nil
  ) -> ChunkEncoder {
    ChunkEncoder(
      main: main.encoder,
      rejects: rejects?.encoder,
      listsMissing: missing != nil,
      consumer: consumer,
      filter: filter,
      groups: groups
    )
  }
}
