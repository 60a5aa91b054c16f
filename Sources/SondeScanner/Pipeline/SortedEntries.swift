import SondeAsking
import SondeInputs
import SondeOutputs
import SondeRecords
import SondeStore

/// Entries after the first stage.
struct SortedEntries: Sendable {
  /// The known records.
  var chunks: [Chunk] = []
  var questions: [Question] = []
  /// The known records about which sources are to be asked.
  var answered: [Batch] = []
  /// The view of the cache in which the questions were not found.
  let view: StoreView?
  let count: Int
  /// The number of duplicates in addition, and of occurrences excluded by the condition.
  let duplicates: Int
  let excluded: Int
  /// The errors of the input itself.
  let faults: [InputError]

  init(_ entries: EntryBlock, view: StoreView?) {
    (count, duplicates, faults) = (entries.block.records.count, entries.duplicates, entries.faults)
    excluded = entries.excluded
    self.view = view
  }
}

extension ChunkEncoder {
  /// Sorts entries: encodes known ones, and turns the others into questions.
  ///
  /// `known` has the answers by the positions of their addresses among those to ask about; `nil` if
  /// nothing is asked, so that the entries are the records. `excluded` is empty if no entry is. The
  /// records of `written` entries are in the outputs. `awaitsMore` returns whether sources are to
  /// be asked about a known record.
  func sort(
    _ entries: EntryBlock,
    known: KnownAnswers?,
    excluded: [Bool] = [],
    except written: WrittenEntries,
    awaitsMore: ((Record) -> Bool)? = nil
  ) -> SortedEntries {
    main.prepare(for: entries.block.records)
    var chunks = ChunkList(expecting: entries.block.records.count)
    var sorted = SortedEntries(entries, view: known?.view)
    var answers = AnswerWalk(known)
    var waiting = AnsweredBatches()
    let added = added(to: entries.block.records)
    let records = entries.block.records.span
    // Each record is read where it is: a copy has some 300 bytes.
    for index in records.indices {
      let entry = Entry(number: entries.first + UInt64(index), added: added, index: index)
      let isExcluded = !excluded.isEmpty && excluded[index]
      let wantsAnswer = known != nil && records[index].isQuestion && !isExcluded
      let found = wantsAnswer ? answers.next() : nil
      if written.contains(entry.number) {
        main.release(records[index])
      } else if isExcluded {
        main.release(records[index])
        chunks.append(entry.number) { $0.tally.excluded += 1 }
      } else if let found, let known {
        var answer = known.block.records[found]
        answer.place = records[index].place
        let isAwaited = awaitsMore?(answer) ?? false
        place(answer, known.block, entry, isAwaited: isAwaited, &chunks, &waiting)
      } else if wantsAnswer, let address = records[index].address {
        sorted.questions.append(
          Question(number: entry.number, address: address, place: records[index].place)
        )
      } else {
        let isAwaited = awaitsMore?(records[index]) ?? false
        place(records[index], entries.block, entry, isAwaited: isAwaited, &chunks, &waiting)
      }
    }
    sorted.chunks = chunks.chunks()
    sorted.answered = waiting.batches()
    return sorted
  }

  /// Sorts the answers of providers: encodes those to which sources add nothing.
  ///
  /// Returns the encoded records, and batches of those for which `awaitsMore` is true.
  func sort(
    _ answers: RecordBlock,
    to batch: Batch,
    awaitsMore: (Record) -> Bool
  ) -> (chunks: [Chunk], awaiting: [Batch]) {
    var chunks = ChunkList(expecting: batch.questions.count)
    var waiting = AnsweredBatches()
    let added = added(to: answers.records)
    for (index, question) in batch.questions.enumerated() {
      let position = batch.address(of: index)
      var record = answers.records[position]
      record.place = question.place
      let entry = Entry(number: question.number, added: added, index: position)
      place(record, answers, entry, isAwaited: awaitsMore(record), &chunks, &waiting)
    }
    return (chunks.chunks(), waiting.batches())
  }

  /// Encodes a known record, or queues it for sources.
  private func place(
    _ record: Record,
    _ block: borrowing RecordBlock,
    _ entry: Entry,
    isAwaited: Bool,
    _ chunks: inout ChunkList,
    _ waiting: inout AnsweredBatches
  ) {
    // Records that are excluded in any case need no source.
    if isAwaited, filter?.excludes(record, bytes: block.bytes.span, unaided: true) != true {
      waiting.append(record, of: block, entry.number)
    } else {
      chunks.append(entry.number) { append(record, bytes: block.bytes.span, of: entry, to: &$0) }
    }
  }
}

extension Record {
  /// Whether an entry requires an answer; an unchanged row has no address.
  var isQuestion: Bool { status == .ok && address != nil }
}

/// Iterates over the entries that require an answer and finds known answers.
private struct AnswerWalk {
  private let known: KnownAnswers?
  private var position = 0
  private var index = 0

  init(_ known: KnownAnswers?) { self.known = known }

  /// The index of the answer to the next entry; `nil` if it is unknown.
  mutating func next() -> Int? {
    guard let known else { return nil }
    defer { position += 1 }
    guard index < known.positions.count, known.positions[index] == position else { return nil }
    index += 1
    return index - 1
  }
}
