import SondeAsking
import SondeInputs
import SondeOutputs
import SondeRecords
import SondeStore

/// Entries after the first stage.
struct SortedEntries: Sendable {
  /// The records that are known already.
  var chunks: [Chunk] = []
  /// What is to be asked.
  var questions: [Question] = []
  /// The records that are known already, and that sources are to be asked about.
  var answered: [Batch] = []
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

extension ChunkEncoder {
  /// Sorts entries: what is known of them is encoded, what is not is left as questions.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - known: The answers that need no question, by the positions of their addresses among those
  ///     that want one; `nil` where nobody is asked, so that the entries are their own records.
  ///   - excluded: For each entry whether it is left out; empty for none.
  ///   - written: The entries whose records are in the outputs.
  ///   - awaitsMore: Whether sources are to be asked about a record that is known.
  /// - Returns: What they are now.
  func sort(
    _ entries: EntryBlock,
    known: KnownAnswers?,
    excluded: [Bool] = [],
    except written: WrittenEntries,
    awaitsMore: (Record) -> Bool = { _ in false }
  ) -> SortedEntries {
    main.prepare(for: entries.block.records)
    var chunks = ChunkList(expecting: entries.block.records.count)
    var sorted = SortedEntries(entries, view: known?.view)
    var answers = AnswerWalk(known)
    var waiting = AnsweredBatches()
    let added = added(to: entries.block.records)
    for (index, record) in entries.block.records.enumerated() {
      let entry = Entry(number: entries.first + UInt64(index), added: added, index: index)
      let isExcluded = !excluded.isEmpty && excluded[index]
      let wantsAnswer = known != nil && record.isQuestion && !isExcluded
      let answer = wantsAnswer ? answers.next() : nil
      if written.contains(entry.number) { continue }
      if isExcluded {
        chunks.append(entry.number) { $0.tally.excluded += 1 }
      } else if var answer, let known {
        answer.place = record.place
        place(answer, known.block, entry, isAwaited: awaitsMore(answer), &chunks, &waiting)
      } else if wantsAnswer, let address = record.address {
        sorted.questions.append(
          Question(number: entry.number, address: address, place: record.place)
        )
      } else {
        place(record, entries.block, entry, isAwaited: awaitsMore(record), &chunks, &waiting)
      }
    }
    sorted.chunks = chunks.chunks()
    sorted.answered = waiting.batches()
    return sorted
  }

  /// Sorts the answers of providers: what sources have nothing to add to is encoded.
  ///
  /// - Parameters:
  ///   - answers: A record for each address of the batch.
  ///   - batch: What was asked.
  ///   - awaitsMore: Whether sources are to be asked about a record.
  /// - Returns: What is encoded, and what waits for sources.
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

  /// Encodes a record that is known, or has it wait for what sources find of it.
  private func place(
    _ record: Record,
    _ block: borrowing RecordBlock,
    _ entry: Entry,
    isAwaited: Bool,
    _ chunks: inout ChunkList,
    _ waiting: inout AnsweredBatches
  ) {
    // What no source could change is asked of none.
    if isAwaited, filter?.excludes(record, bytes: block.bytes.span, unaided: true) != true {
      waiting.append(record, of: block, entry.number)
    } else {
      chunks.append(entry.number) { append(record, bytes: block.bytes.span, of: entry, to: &$0) }
    }
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
