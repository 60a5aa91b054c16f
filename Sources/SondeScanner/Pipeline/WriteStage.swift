import SondeInputs
import SondeOutputs
import SondeRecords
import SondeSystem

/// The last stage of a scan: puts chunks in order, writes them, and records them in the journal.
struct WriteStage {
  private var writer: OutputWriter
  private let consumer: (any RecordConsumer)?
  /// The groups whose places may be left out, so that chunks wait for the end; `nil` for none.
  private let groups: PlaceGroups?
  /// The chunks that wait for the end.
  private var held: [Chunk] = []
  private let isUnordered: Bool
  private let journal: Journal?
  private let readMark: @Sendable () -> InputMark
  private var reorder: ReorderBuffer
  /// Chunks to be written next.
  private var due: [Chunk] = []
  /// The entries that are written or due, as far as a journal needs them; initially those of an
  /// earlier run.
  private(set) var settled: WrittenEntries
  /// Whether the outputs are ahead of the journal.
  private var hasNews = false
  /// When written output is to be committed; `nil` if all is committed.
  private(set) var nextCommit: ContinuousClock.Instant?
  /// The number of entries of this run that are written or due.
  private var finished: UInt64 = 0

  /// The number of entries that earlier runs have settled.
  let earlier: Int

  /// Creates a stage that has written nothing, or what a journal contains.
  ///
  /// With `groups` all chunks are written at the end. Unordered chunks are otherwise written as they
  /// arrive; `readMark` is how far the inputs have been read.
  init(
    _ outputs: Outputs,
    consumer: (any RecordConsumer)?,
    groups: PlaceGroups? = nil,
    isUnordered: Bool,
    journal: Journal?,
    readMark: @escaping @Sendable () -> InputMark
  ) {
    writer = OutputWriter(outputs, isFramed: consumer == nil, isJournalled: journal != nil)
    (self.consumer, self.groups, self.isUnordered) = (consumer, groups, isUnordered)
    (self.journal, self.readMark) = (journal, readMark)
    let checkpoint = journal?.checkpoint ?? Checkpoint()
    settled = WrittenEntries(checkpoint)
    reorder = ReorderBuffer(next: checkpoint.firstUnwritten)
    if let journal { writer.resume(checkpoint, hashes: journal.hashes) }
    earlier = writer.tally.settled
  }

  /// The counts of committed records.
  var tally: Tally { writer.tally }

  /// The counts of written records, which may still be rolled back.
  var written: Tally { writer.written }

  /// The results of written rows; `nil` if the entries are not rows.
  var upgrades: UpgradeTally? { consumer?.holdsRows == true ? writer.upgrades : nil }

  /// The number of entries that are as good as written, so that as many more may be read.
  ///
  /// A journal lists entries beyond the first gap of an unordered output, so there only those
  /// before the gap count.
  var released: UInt64 {
    guard isUnordered else { return reorder.next }
    return journal == nil || groups != nil ? finished : settled.first
  }

  /// Adds chunks, in any order.
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

  /// Marks a chunk as due at once, not when it is written, because reading depends on it.
  private mutating func settle(_ chunk: Chunk) {
    guard groups == nil else { return held.append(chunk) }
    due.append(chunk)
    if journal != nil { settled.insert(chunk.numbers) }
  }

  /// Writes due chunks, and commits them if that is due or for the last time.
  ///
  /// The journal never contains what could be rolled back.
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

  /// Waits until the outputs and their journal are on disk.
  private func sync(_ journal: Journal) async throws(OutputError) {
    let begin = ContinuousClock.now
    try await writer.sync { () throws(OutputError) in try journal.sync(begun: begin) }
  }

  /// Writes the known records in order, and ends the outputs.
  ///
  /// A scan that can be resumed leaves no gaps: records beyond the first one are requested again,
  /// unless this end is final. One that waited for the end to write has then nothing written.
  mutating func finish(isFinal: Bool = false, isComplete: Bool = true) async throws(OutputError) {
    if let groups, journal == nil || isFinal || isComplete {
      held += reorder.popAll()
      due = held.map { chunk in
        var chunk = chunk
        chunk.choose(full: groups.isLarge)
        return chunk
      }
      if journal != nil { for chunk in due { settled.insert(chunk.numbers) } }
    }
    held = []
    try await write(isLast: true)
    if journal == nil || isFinal {
      try await writer.write(reorder.popAll())
      _ = try await writer.commit(isLast: true)
    }
    try await writer.end()
    guard let journal else { return }
    // The summary of the whole job also counts what followed the last record.
    try journal.record { _ in }
    // The output of a few seconds can be repeated; waiting for the disk would dominate such a
    // run.
    if journal.isSyncDue || journal.hasSynced { try await sync(journal) }
  }
}

/// Returns chunks in the order of the input, whatever the order of their arrival.
struct ReorderBuffer: Sendable {
  private var chunks: [UInt64: Chunk] = [:]

  /// The next entry to be returned.
  private(set) var next: UInt64 = 0

  init(next: UInt64 = 0) { self.next = next }

  mutating func insert(_ chunk: Chunk) { chunks[chunk.first] = chunk }

  /// Removes the next chunk, if it has arrived.
  mutating func popNext() -> Chunk? {
    guard let chunk = chunks.removeValue(forKey: next) else { return nil }
    next += UInt64(chunk.count)
    return chunk
  }

  /// Removes all chunks for an early end: in order, with gaps.
  mutating func popAll() -> [Chunk] {
    let rest = chunks.values.sorted { $0.first < $1.first }
    chunks.removeAll()
    return rest
  }
}
