import Addresses
import Records
import Store

/// What a scan holds between its stages: the entries gathered for a question, the questions that
/// wait for their turn, and the pieces that wait for an earlier one.
struct Pipeline {
  /// Records that the reader delivers at a time, at the most.
  static let blockSize = 4096
  /// Entries that may be under way; with some 400 bytes each this bounds the memory.
  private static let window: UInt64 = 65_536
  /// Bytes of rows that may be under way.
  private static let rowWindow = 32 << 20
  /// How long an input must be silent before a batch goes out that is not full.
  private static let silence = Duration.milliseconds(200)
  /// How long the first address of a batch waits at most.
  private static let longestWait = Duration.seconds(1)

  let encoder: PieceEncoder
  var writer: OutputWriter
  var batchLimit: Int
  var questions = 0
  var reads = 0
  var isInputRead = false

  private let readLimit: Int
  private let rules: Scan.Rules
  private var batch: Batch
  private var ready: [Batch] = []
  private var reorder = ReorderBuffer()
  private var due: [Piece] = []
  private var entries: UInt64 = 0
  private var finished: UInt64 = 0
  private var duplicates = 0
  private var rowBytes = 0
  private let journal: Journal?
  private let readMark: @Sendable () -> InputMark
  /// How many records earlier runs have written.
  private var earlier = 0
  /// Entries whose records an earlier run has written.
  let written: WrittenEntries
  /// Entries that are in the outputs, or due, as far as a journal has to know.
  private var settled = WrittenEntries()

  /// Makes a pipeline; without a batch limit entries come with their answers, in any order.
  init(
    encoder: PieceEncoder,
    writer: OutputWriter,
    rules: Scan.Rules,
    batchLimit: Int?,
    journal: Journal?,
    readMark: @escaping @Sendable () -> InputMark
  ) {
    self.encoder = encoder
    self.writer = writer
    self.rules = rules
    self.batchLimit = batchLimit ?? .max
    // A batch at hand says how long the next read may wait, so there can be but one; otherwise one
    // reads while every processor searches, answers and encodes.
    readLimit = batchLimit == nil ? min(Processors.available + 1, 16) : 1
    batch = Batch(mayRepeat: rules.keepsDuplicates)
    self.journal = journal
    self.readMark = readMark
    written = journal.map { WrittenEntries($0.entry) } ?? WrittenEntries()
    settled = written
    if let journal { resume(journal) }
  }

  private mutating func resume(_ journal: Journal) {
    let entry = journal.entry
    reorder = ReorderBuffer(next: entry.entries)
    writer.resume(entry, hashes: journal.hashes)
    earlier = writer.tally.records
  }

  /// The counts of what has been written, and of all duplicates.
  var tally: Tally {
    var tally = writer.tally
    tally.duplicates = duplicates
    tally.entries = tally.records + duplicates
    return tally
  }

  /// What became of the rows that were asked for again.
  var upgrades: UpgradeTally { writer.upgrades }

  var progress: ScanProgress {
    var progress = ScanProgress()
    progress.tally = tally
    progress.earlier = earlier
    progress.entriesRead = Int(entries) + duplicates
    progress.isInputRead = isInputRead && reads == 0
    return progress
  }

  // MARK: - Reading

  /// Whether the reader is to be asked for more.
  ///
  /// Several reads at once, where that is possible, keep the reader's thread at work while others
  /// search, answer and encode what it delivered.
  var mayRead: Bool {
    reads < readLimit && !isInputRead && ready.isEmpty && underWay < Self.window
      && rowBytes < Self.rowWindow
  }

  /// The entries that count against the window.
  ///
  /// A journal lists what is written beyond the first gap of an unordered output, so there the gap
  /// bounds it.
  private var underWay: UInt64 {
    guard rules.isUnordered else { return entries - min(entries, reorder.next) }
    return entries - (journal == nil ? finished : min(entries, settled.first))
  }

  /// How long the reader may wait before the batch at hand must go out.
  var patience: Duration? {
    guard let begin = batch.begin else { return nil }
    return max(.zero, min(Self.silence, begin + Self.longestWait - .now))
  }

  /// Takes entries in: what is to be asked goes into batches, the rest is encoded at once.
  ///
  /// - Parameters:
  ///   - block: The entries.
  ///   - known: The answers that are known already, by the position of the address among those to
  ///     be asked; `nil` where nothing is kept.
  mutating func take(_ block: EntryBlock, known: CachedAnswers? = nil) {
    duplicates += block.duplicates
    encoder.main.prepare(for: block.block.records)
    var piece = Piece(first: entries)
    rowBytes += block.rows?.bytes.count ?? 0
    var position = 0
    var answered = known?.positions[...] ?? []
    for (index, record) in block.block.records.enumerated() {
      let row = block.row(index)
      let isAsked = record.status == .ok
      defer { if isAsked { position += 1 } }
      let answer = isAsked && answered.first == position ? answered.startIndex : nil
      if answer != nil { answered.removeFirst() }
      if settled.contains(entries) {
        put(piece)
        entries += 1
        finished += 1
        piece = Piece(first: entries)
      } else if let answer, let known {
        var copy = known.block.records[answer]
        (copy.line, copy.input) = (record.line, record.input)
        encoder.append(copy, bytes: known.block.bytes.span, row: row, to: &piece)
        entries += 1
      } else if isAsked, let address = record.address {
        put(piece)
        add(record, address, row, unknownIn: known?.view)
        // Making a piece costs more than all the rest here.
        if piece.count > 0 { piece = Piece(first: entries) }
        piece.first = entries
      } else {
        encoder.append(record, bytes: block.block.bytes.span, row: row, to: &piece)
        entries += 1
      }
    }
    put(piece)
    if let begin = batch.begin, ContinuousClock.now - begin >= Self.longestWait { closeBatch() }
  }

  /// Takes entries in that are encoded already, in any order.
  ///
  /// - Parameters:
  ///   - pieces: Their records, but those that are written.
  ///   - count: How many entries there are.
  ///   - duplicates: How many more there were that are duplicates.
  mutating func take(encoded pieces: [Piece], entries count: Int, duplicates: Int) {
    self.duplicates += duplicates
    entries += UInt64(count)
    finished += UInt64(count - pieces.reduce(0) { $0 + $1.count })
    take(pieces)
  }

  private mutating func add(
    _ record: Record,
    _ address: Address,
    _ row: Row?,
    unknownIn view: StoreView?
  ) {
    batch.append(record, address: address, number: entries, row: row, unknownIn: view)
    entries += 1
    if batch.addresses.count >= batchLimit { closeBatch() }
  }

  /// Lets the batch at hand go where nothing else is under way that could: it keeps the window full.
  mutating func closeStuckBatch() {
    if reads == 0, questions == 0, ready.isEmpty, !mayRead { closeBatch() }
  }

  /// Lets the batch at hand go, full or not.
  mutating func closeBatch() {
    guard !batch.isEmpty else { return }
    ready.append(batch)
    batch = Batch(mayRepeat: rules.keepsDuplicates)
  }

  // MARK: - Asking

  /// The next batch to ask for, if another question may be under way.
  mutating func nextQuestion() -> Batch? {
    guard !ready.isEmpty, questions < rules.questions else { return nil }
    questions += 1
    return ready.removeFirst()
  }

  // MARK: - Writing

  /// Takes encoded answers in.
  mutating func take(_ pieces: [Piece]) { pieces.forEach { put($0) } }

  private mutating func put(_ piece: Piece) {
    guard piece.count > 0 else { return }
    finished += UInt64(piece.count)
    guard !rules.isUnordered else { return settle(piece) }
    reorder.insert(piece)
    while let next = reorder.popNext() {
      rowBytes -= next.rowBytes
      settle(next)
    }
  }

  /// Notes that a piece is to be written: at once, not when it is written, because whether to read
  /// on depends on it.
  private mutating func settle(_ piece: Piece) {
    due.append(piece)
    guard journal != nil else { return }
    settled.insert(piece.first..<piece.first + UInt64(piece.count))
  }

  /// Writes what is due.
  mutating func write() async throws(OutputFailure) {
    let pieces = due
    due = []
    guard !pieces.isEmpty else { return }
    try await writer.write(pieces)
    guard let journal else { return }
    let mark = readMark()
    try journal.record { entry in
      writer.note(in: &entry)
      settled.note(in: &entry)
      entry.inputs.advance(to: mark)
    }
    if journal.isCheckpointDue { try await checkpoint(journal) }
  }

  private func checkpoint(_ journal: Journal) async throws(OutputFailure) {
    let begin = ContinuousClock.now
    try await writer.sync { () throws(OutputFailure) in try journal.checkpoint(begun: begin) }
  }

  /// Writes what is known, in order, and ends the outputs.
  ///
  /// A scan that can be resumed leaves no gaps: what is known beyond the first one is asked again.
  /// Rows leave none, either: those that wait for an answer stay as they are.
  mutating func finish() async throws(OutputFailure) {
    for batch in ready + [batch] where !batch.isEmpty { take(batch.unanswered(with: encoder)) }
    try await write()
    if journal == nil { try await writer.write(reorder.popAll()) }
    try await writer.end()
    guard let journal else { return }
    // The summary of the whole job counts what came behind the last record, too.
    try journal.record { _ in }
    // What a few seconds brought can be had again; waiting for the disk would be most of their cost.
    if journal.isCheckpointDue { try await checkpoint(journal) }
  }

  /// Writes what is only copied, behind everything else.
  mutating func write(rest bytes: [UInt8]) async throws(OutputFailure) {
    try await writer.write(rest: bytes)
  }
}
