import Records
import Store

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
  ///   - excluded: For each entry whether it is left out unasked; empty for none.
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
    for (index, record) in entries.block.records.enumerated() {
      let number = entries.first + UInt64(index)
      let isExcluded = !excluded.isEmpty && excluded[index]
      let wantsAnswer = known != nil && record.isQuestion && !isExcluded
      let answer = wantsAnswer ? answers.next() : nil
      if written.contains(number) { continue }
      if var answer, let known {
        (answer.line, answer.input) = (record.line, record.input)
        let isAwaited = awaitsMore(answer)
        place(answer, known.block, number, isAwaited: isAwaited, &chunks, &waiting)
      } else if wantsAnswer, let address = record.address {
        sorted.questions.append(
          Question(number: number, address: address, line: record.line, input: record.input)
        )
      } else {
        let isAwaited = !isExcluded && awaitsMore(record)
        place(record, entries.block, number, isAwaited: isAwaited, &chunks, &waiting)
      }
    }
    sorted.chunks = chunks.chunks()
    sorted.answered = waiting.batches()
    return sorted
  }

  /// Encodes a record that is known, or has it wait for what sources find of it.
  private func place(
    _ record: Record,
    _ block: borrowing RecordBlock,
    _ number: UInt64,
    isAwaited: Bool,
    _ chunks: inout ChunkList,
    _ waiting: inout AnsweredBatches
  ) {
    // What no source could change is asked of none.
    if isAwaited, filter?.excludes(record, bytes: block.bytes.span, unaided: true) != true {
      waiting.append(record, of: block, number)
    } else {
      chunks.append(number) { append(record, bytes: block.bytes.span, of: number, to: &$0) }
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
