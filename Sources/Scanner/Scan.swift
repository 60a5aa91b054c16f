import Addresses
public import Records
import Store
import Synchronization

/// How a scan ended.
public struct ScanOutcome: Sendable {
  /// The counts of what was written, and of duplicates.
  public var tally = Tally()

  /// Inputs that could not be read.
  public var inputFailures: [InputFailure] = []

  /// Why writing ended, if it did.
  public var outputFailure: OutputFailure?

  /// Whether the scan was stopped before its end.
  public var isInterrupted = false

  /// Whether there is nothing left to do: all inputs are read, and all records written.
  public var isComplete: Bool { !isInterrupted && inputFailures.isEmpty && outputFailure == nil }

  /// What became of the rows that were asked for again; `nil` where the entries are no rows.
  public var upgrades: UpgradeTally?

  /// Whether everything that there was to copy from the input is in the output.
  public var isCopied = false

  /// Makes the outcome of nothing.
  public init() {}
}

/// What a progress display shows of a scan under way.
public struct ScanProgress: Sendable {
  /// The counts of what was written so far.
  public var tally = Tally()

  /// Records that the runs before this one have written.
  public var earlier = 0

  /// Entries read so far, duplicates included.
  public var entriesRead = 0

  /// Entries read that have no record yet.
  public var waiting: Int { entriesRead - tally.entries }

  /// Whether ``entriesRead`` is all there is.
  public var isInputRead = false

  /// Makes the progress of a scan that has not begun.
  public init() {}
}

/// The pipeline: entries from the reader, answers from the providers, records to the outputs.
///
/// Bounded everywhere: a slow provider or a slow output stops the reader.
public final class Scan: Sendable {
  /// What a scan does with its records.
  public struct Rules: Sendable {
    /// Whether records are written as soon as they are known, in any order.
    public var isUnordered = false
    /// Whether an address may be asked for more than once.
    public var keepsDuplicates = false
    /// Questions that may wait for their answers at once.
    public var questions = 16
    /// Whether rows that are not read because of an interruption are copied as they are.
    public var copiesRest = false

    /// Makes the default rules.
    public init() {}
  }

  private let reader: EntryReader
  private let chain: ProviderChain?
  private let outputs: Outputs
  private let rules: Rules
  private let journal: Journal?
  private let report: EventHandler
  private let shown = Mutex(ScanProgress())
  /// Whether addresses are gathered for questions; otherwise each block of entries is answered by
  /// itself, by a computation or not at all.
  private let gathers: Bool

  /// Makes a scan that has not begun.
  ///
  /// - Parameters:
  ///   - reader: Where the entries come from.
  ///   - chain: Who is asked; `nil` writes the entries as they are.
  ///   - outputs: Where the records go.
  ///   - rules: What the scan does with its records.
  ///   - journal: Where it is written how far the scan is; `nil` where it is not to be resumed.
  ///   - report: Told of inputs that fail.
  public init(
    reader: EntryReader,
    chain: ProviderChain?,
    outputs: Outputs,
    rules: Rules,
    journal: Journal? = nil,
    report: @escaping EventHandler
  ) {
    self.reader = reader
    self.chain = chain
    self.outputs = outputs
    self.rules = rules
    self.journal = journal
    self.report = report
    gathers = chain.map { !$0.isLocal } ?? false
  }

  /// How far the scan is.
  public var progress: ScanProgress { shown.withLock { $0 } }

  /// Runs until the inputs are read and every entry has its record, or until it is cancelled; then
  /// what is known is written.
  public func run() async -> ScanOutcome {
    var pipeline = Pipeline(
      encoder: outputs.pieceEncoder,
      writer: OutputWriter(outputs, isJournalled: journal != nil),
      rules: rules,
      batchLimit: gathers ? chain?.batchLimit : nil,
      journal: journal,
      readMark: { [reader] in reader.progress.mark }
    )
    var outcome = ScanOutcome()
    do throws(OutputFailure) {
      try await work(&pipeline, &outcome)
      try await pipeline.finish()
      if outputs.layout != nil { try await copyRest(&pipeline, &outcome) }
    } catch {
      outcome.outputFailure = error
    }
    outcome.tally = pipeline.tally
    if outputs.layout != nil { outcome.upgrades = pipeline.upgrades }
    return outcome
  }

  /// Copies what no entry has come from: the end of an array, what cannot be read, and what an
  /// interruption has left.
  private func copyRest(
    _ pipeline: inout Pipeline,
    _ outcome: inout ScanOutcome
  ) async throws(OutputFailure) {
    guard rules.copiesRest || !outcome.isInterrupted else { return }
    while let bytes = await reader.rest() { try await pipeline.write(rest: bytes) }
    outcome.isCopied = await reader.isWhole
  }

  private enum Event: Sendable {
    case read(EntryReader.Delivery, known: CachedAnswers? = nil)
    case encoded([Piece], entries: Int, duplicates: Int)
    case answered([Piece])
    case cancelled([Piece] = [])
  }

  private func work(
    _ pipeline: inout Pipeline,
    _ outcome: inout ScanOutcome
  ) async throws(OutputFailure) {
    let failure = await withTaskGroup(of: Event.self) { group -> OutputFailure? in
      do throws(OutputFailure) {
        try await drive(&pipeline, &outcome, &group)
        return nil
      } catch {
        group.cancelAll()
        return error
      }
    }
    if let failure { throw failure }
  }

  private func drive(
    _ pipeline: inout Pipeline,
    _ outcome: inout ScanOutcome,
    _ group: inout TaskGroup<Event>
  ) async throws(OutputFailure) {
    readOn(&pipeline, &group)
    while let event = await group.next() {
      switch event {
      case .read(let delivery, let known):
        pipeline.reads -= 1
        take(delivery, known: known, &pipeline, &outcome)
      case .encoded(let pieces, let entries, let duplicates):
        pipeline.reads -= 1
        pipeline.take(encoded: pieces, entries: entries, duplicates: duplicates)
      case .answered(let pieces):
        pipeline.questions -= 1
        pipeline.take(pieces)
      case .cancelled(let pieces):
        pipeline.take(pieces)
        outcome.isInterrupted = true
        group.cancelAll()
        continue
      }
      shown.withLock { $0 = pipeline.progress }
      if gathers {
        pipeline.batchLimit = chain?.batchLimit ?? .max
        pipeline.closeStuckBatch()
        ask(&pipeline, &group)
      }
      // Asked for before writing, so that the reader works meanwhile.
      if !outcome.isInterrupted { readOn(&pipeline, &group) }
      try await pipeline.write()
      shown.withLock { $0 = pipeline.progress }
    }
  }

  private func take(
    _ delivery: EntryReader.Delivery,
    known: CachedAnswers?,
    _ pipeline: inout Pipeline,
    _ outcome: inout ScanOutcome
  ) {
    switch delivery {
    case .entries(let entries):
      pipeline.take(entries, known: known)
      for fault in entries.faults { note(fault, &outcome) }
    case .silence: pipeline.closeBatch()
    case .failure(let failure): note(failure, &outcome)
    case .end:
      pipeline.isInputRead = true
      pipeline.closeBatch()
    }
  }

  private func note(_ failure: InputFailure, _ outcome: inout ScanOutcome) {
    outcome.inputFailures.append(failure)
    report(.inputFailure(failure))
  }

  private func readOn(_ pipeline: inout Pipeline, _ group: inout TaskGroup<Event>) {
    while pipeline.mayRead {
      pipeline.reads += 1
      let (reader, limit, patience) = (reader, Pipeline.blockSize, pipeline.patience)
      let (encoder, written) = (pipeline.encoder, pipeline.written)
      group.addTask { [chain, gathers] in
        do {
          let delivery = try await reader.next(limit: limit, patience: patience)
          guard case .entries(let entries) = delivery else { return .read(delivery) }
          let addresses = entries.block.addressesToAsk
          guard !gathers else { return .read(delivery, known: await chain?.known(addresses)) }
          var pieces: [Piece] = []
          if !written.contains(entries.numbers) {
            let answers = try await chain?.lookUp(addresses)
            pieces = encoder.pieces(of: entries, answers: answers, except: written)
          }
          return .encoded(
            pieces,
            entries: entries.block.records.count,
            duplicates: entries.duplicates
          )
        } catch {
          return .cancelled()
        }
      }
    }
  }

  private func ask(_ pipeline: inout Pipeline, _ group: inout TaskGroup<Event>) {
    guard let chain else { return }
    while let batch = pipeline.nextQuestion() {
      let encoder = pipeline.encoder
      // A question that waits for the quota takes its place in the queue here and now, so that
      // the earlier batch is asked first; one that only computes runs beside this task.
      if chain.asksRemotely {
        group.addImmediateTask { await Self.answer(batch, from: chain, with: encoder) }
      } else {
        group.addTask { await Self.answer(batch, from: chain, with: encoder) }
      }
    }
  }

  private static func answer(
    _ batch: Batch,
    from chain: ProviderChain,
    with encoder: PieceEncoder
  ) async -> Event {
    do {
      let answers = try await chain.lookUp(batch.addresses, newerThan: batch.view)
      return .answered(batch.pieces(of: answers, with: encoder))
    } catch {
      return .cancelled(batch.unanswered(with: encoder))
    }
  }
}

extension RecordBlock {
  /// The addresses of the entries that a provider is to be asked about.
  fileprivate var addressesToAsk: [Address] {
    records.compactMap { $0.status == .ok ? $0.address : nil }
  }
}
