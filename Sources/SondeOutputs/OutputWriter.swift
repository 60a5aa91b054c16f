package import SondeRecords
import SondeStore
import SondeSystem

/// The position in an output stream.
struct StreamMark: Sendable {
  var hash = Checksum()
  var isEmpty = true

  mutating func take(_ bytes: [UInt8], isHashed: Bool) {
    if isHashed { hash.update(bytes.span) }
    isEmpty = false
  }

  var output: OutputMark { OutputMark(length: hash.count, hash: hash.value, isEmpty: isEmpty) }
}

/// Writes chunks to their outputs, with headers, separators and footers.
package struct OutputWriter {
  private struct Stream {
    let sink: any RecordSink
    let packing: Packing?
    /// `nil` for plain lines.
    let encoder: RecordEncoder?
    /// Whether a journal needs to know what was written.
    let isJournalled: Bool
    var mark = StreamMark()

    /// Writes records, after the header if they are the first.
    mutating func write(_ bytes: [UInt8]) async throws(OutputError) {
      guard !bytes.isEmpty else { return }
      var whole = bytes
      if mark.isEmpty, let encoder {
        whole = encoder.header() + bytes.dropFirst(encoder.separator.count)
      }
      mark.take(try await sink.write(whole, packing), isHashed: isJournalled)
    }

    /// Writes the footer, and the header if there was no record.
    func end() async throws(OutputError) {
      let header = mark.isEmpty ? encoder?.header() ?? [] : []
      let last = header + (encoder?.footer(isEmpty: mark.isEmpty) ?? [])
      // A compressed file needs at least one member.
      if !last.isEmpty || packing != nil && mark.isEmpty {
        _ = try await sink.write(last, packing)
      }
      try await sink.end()
    }
  }

  /// The size up to which chunks are joined.
  private static let smallWrite = 64 << 10

  private var main: Stream
  private var rejects: Stream?
  private var missing: Stream?

  /// The time between two commits.
  static let commitTime = Duration.seconds(1)

  /// The counts of what was written or, in a database, committed.
  package private(set) var tally = Tally()

  /// The counts of what was written, committed or not.
  package var written: Tally {
    var all = tally
    all += uncommitted.tally
    return all
  }

  /// The results of written rows.
  package private(set) var upgrades = UpgradeTally()

  /// Whether an output is a database, which needs commits.
  private let hasTransactions: Bool
  private var uncommitted = (tally: Tally(), upgrades: UpgradeTally())
  private var nextCommit = ContinuousClock.now

  /// Creates a writer, with headers and footers if `isFramed`; a journal needs hashes.
  package init(_ outputs: Outputs, isFramed: Bool, isJournalled: Bool) {
    func stream(_ sink: any RecordSink, _ packing: Packing?, _ encoder: RecordEncoder?) -> Stream {
      Stream(sink: sink, packing: packing, encoder: encoder, isJournalled: isJournalled)
    }
    let main = outputs.main
    self.main = stream(main.sink, main.packing, isFramed ? main.encoder : nil)
    rejects = outputs.rejects.map { stream($0.sink, $0.packing, $0.encoder) }
    missing = outputs.missing.map { stream($0, outputs.missingPacking, nil) }
    hasTransactions = [main, outputs.rejects].contains { $0?.encoder.format.isDatabase == true }
  }

  /// Continues after what was written according to a journal.
  package mutating func resume(_ checkpoint: Checkpoint, hashes: OutputHashes) {
    main.mark = StreamMark(hash: hashes.main, isEmpty: checkpoint.main.isEmpty)
    rejects?.mark = StreamMark(hash: hashes.rejects, isEmpty: checkpoint.rejects.isEmpty)
    missing?.mark = StreamMark(hash: hashes.missing, isEmpty: checkpoint.missing.isEmpty)
    tally = checkpoint.tally
  }

  /// Stores the progress of the outputs in a checkpoint.
  package func note(in checkpoint: inout Checkpoint) {
    checkpoint.main = main.mark.output
    checkpoint.rejects = rejects?.mark.output ?? OutputMark()
    checkpoint.missing = missing?.mark.output ?? OutputMark()
    checkpoint.tally = tally
  }

  /// Writes chunks, small ones together; what is written before a failure is kept and counted.
  package mutating func write(_ chunks: [Chunk]) async throws(OutputError) {
    var rest = chunks[...]
    while var chunk = rest.popFirst() {
      while let next = rest.first, chunk.output.count + next.output.count <= Self.smallWrite {
        chunk.append(next)
        rest.removeFirst()
      }
      try await main.write(chunk.output)
      try await rejects?.write(chunk.rejects)
      try await missing?.write(chunk.missing)
      uncommitted.tally += chunk.tally
      uncommitted.upgrades += chunk.upgrades
      if !hasTransactions { countCommitted() }
    }
  }

  /// Commits written data if that is due or `isLast`; returns when the rest is due, if any.
  ///
  /// Data that cannot be committed is rolled back and not counted.
  package mutating func commit(isLast: Bool) async throws(OutputError) -> ContinuousClock.Instant? {
    guard isLast || .now >= nextCommit else { return hasTransactions ? nextCommit : nil }
    for stream in [main, rejects, missing] { try await stream?.sink.commit() }
    countCommitted()
    nextCommit = .now + Self.commitTime
    return nil
  }

  private mutating func countCommitted() {
    tally += uncommitted.tally
    upgrades += uncommitted.upgrades
    uncommitted = (Tally(), UpgradeTally())
  }

  package func end() async throws(OutputError) {
    try await main.end()
    try await rejects?.end()
    try await missing?.end()
  }

  /// Waits until everything is on disk, and then runs a closure.
  package func sync(
    then settle: @escaping @Sendable () throws(OutputError) -> Void
  ) async throws(OutputError) {
    try await rejects?.sink.sync {}
    try await missing?.sink.sync {}
    try await main.sink.sync(then: settle)
  }
}
