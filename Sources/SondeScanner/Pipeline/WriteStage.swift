import SondeInputs
import SondeOutputs
import SondeRecords
import SondeSystem

/// The last stage of a scan: chunks are put in order, written, and noted in the journal.
struct WriteStage {
  private var writer: OutputWriter
  private let consumer: (any RecordConsumer)?
  private let isUnordered: Bool
  private let journal: Journal?
  private let readMark: @Sendable () -> InputMark
  private var reorder: ReorderBuffer
  /// Chunks whose turn it is.
  private var due: [Chunk] = []
  /// Entries that are in the outputs or due, as far as a journal has to know; at the beginning those
  /// that an earlier run has written.
  private(set) var settled: WrittenEntries
  /// Whether there is more in the outputs than the journal knows.
  private var hasNews = false
  /// When what is written is to be committed; `nil` where it is.
  private(set) var nextCommit: ContinuousClock.Instant?
  /// Entries of this run that are in the outputs or due.
  private var finished: UInt64 = 0

  /// Entries that earlier runs have settled.
  let earlier: Int

  /// Makes a stage that has written nothing, or what a journal says.
  ///
  /// - Parameters:
  ///   - outputs: Where the records go.
  ///   - consumer: Takes the records in place of the outputs, if anything does.
  ///   - isUnordered: Whether chunks are written as they come.
  ///   - journal: Where it is noted how far the outputs are.
  ///   - readMark: How far the inputs have been read.
  init(
    _ outputs: Outputs,
    consumer: (any RecordConsumer)?,
    isUnordered: Bool,
    journal: Journal?,
    readMark: @escaping @Sendable () -> InputMark
  ) {
    writer = OutputWriter(outputs, isFramed: consumer == nil, isJournalled: journal != nil)
    (self.consumer, self.isUnordered) = (consumer, isUnordered)
    (self.journal, self.readMark) = (journal, readMark)
    let checkpoint = journal?.checkpoint ?? Checkpoint()
    settled = WrittenEntries(checkpoint)
    reorder = ReorderBuffer(next: checkpoint.firstUnwritten)
    if let journal { writer.resume(checkpoint, hashes: journal.hashes) }
    earlier = writer.tally.settled
  }

  /// The counts of what has been written and committed.
  var tally: Tally { writer.tally }

  /// The counts of what has been written, which may still be taken back.
  var written: Tally { writer.written }

  /// What became of the rows that have been written; `nil` where the entries are no rows.
  var upgrades: UpgradeTally? { consumer?.holdsRows == true ? writer.upgrades : nil }

  /// How many entries are as good as written, so that as many more may come.
  ///
  /// A journal lists what is written beyond the first gap of an unordered output, so there only what
  /// is before the gap counts.
  var released: UInt64 {
    guard isUnordered else { return reorder.next }
    return journal == nil ? finished : settled.first
  }

  /// Takes chunks in, in any order.
  mutating func take(_ chunks: [Chunk]) {
    for chunk in chunks {
      finished += UInt64(chunk.count)
      guard !isUnordered else {
        settle(chunk)
        continue
      }
      reorder.insert(chunk)
      while let next = reorder.popNext() { settle(next) }
    }
  }

  /// Notes that a chunk is to be written: at once, not when it is written, because whether to read
  /// on depends on it.
  private mutating func settle(_ chunk: Chunk) {
    due.append(chunk)
    if journal != nil { settled.insert(chunk.numbers) }
  }

  /// Writes what is due, and commits it if it is time for that, or for the last time.
  ///
  /// The journal speaks of nothing that could be taken back.
  mutating func write(isLast: Bool = false) async throws(OutputError) {
    let chunks = due
    due = []
    if let last = chunks.last {
      try await writer.write(chunks)
      consumer?.release(before: last.numbers.upperBound)
      hasNews = true
    }
    guard hasNews else { return }
    nextCommit = try await writer.commit(isLast: isLast)
    guard nextCommit == nil else { return }
    hasNews = false
    guard let journal else { return }
    let mark = readMark()
    try journal.record { checkpoint in
      writer.note(in: &checkpoint)
      settled.note(in: &checkpoint)
      checkpoint.inputs.advance(to: mark)
    }
    if journal.isSyncDue { try await sync(journal) }
  }

  /// Waits until the outputs, and what the journal says of them, are on the disk.
  private func sync(_ journal: Journal) async throws(OutputError) {
    let begin = ContinuousClock.now
    try await writer.sync { () throws(OutputError) in try journal.sync(begun: begin) }
  }

  /// Writes what is known, in order, and ends the outputs.
  ///
  /// A scan that can be resumed leaves no gaps: what is known beyond the first one is asked again.
  ///
  /// - Parameter isFinal: Whether it will not be resumed after all.
  /// - Throws: ``OutputError``.
  mutating func finish(isFinal: Bool = false) async throws(OutputError) {
    try await write(isLast: true)
    if journal == nil || isFinal {
      try await writer.write(reorder.popAll())
      _ = try await writer.commit(isLast: true)
    }
    try await writer.end()
    guard let journal else { return }
    // The summary of the whole job counts what came behind the last record, too.
    try journal.record { _ in }
    // What a few seconds brought can be had again; waiting for the disk would be most of their cost.
    if journal.isSyncDue || journal.hasSynced { try await sync(journal) }
  }
}

/// Gives chunks back in the order of the input, whatever the order in which they come.
struct ReorderBuffer: Sendable {
  private var chunks: [UInt64: Chunk] = [:]

  /// The entry whose chunk is due.
  private(set) var next: UInt64 = 0

  /// Makes a buffer that waits for an entry.
  init(next: UInt64 = 0) { self.next = next }

  /// Takes a chunk in.
  mutating func insert(_ chunk: Chunk) { chunks[chunk.first] = chunk }

  /// The next chunk, if it is there.
  mutating func popNext() -> Chunk? {
    guard let chunk = chunks.removeValue(forKey: next) else { return nil }
    next += UInt64(chunk.count)
    return chunk
  }

  /// Everything that is there, for an end before its time: in order, with gaps.
  mutating func popAll() -> [Chunk] {
    let rest = chunks.values.sorted { $0.first < $1.first }
    chunks.removeAll()
    return rest
  }
}
