import Records
import Synchronization
import System

/// Reads inputs one after the other and takes what is there, without waiting for more than it must.
///
/// Reading blocks, so the actor has a thread of its own; it reads no further ahead than a few
/// slices of what it is asked for, and a slow consumer thereby stops it.
public actor EntryReader {
  /// What the reader came back with.
  public enum Delivery: Sendable {
    /// Entries, or only duplicates.
    case entries(EntryBlock)
    /// Nothing came within the time given.
    case silence
    /// An input failed; the others go on.
    case failure(InputError)
    /// All inputs are read.
    case end
  }

  private enum Source {
    case parsed(ParsedInputs)
    case logs(LogInputs)
    case table(TableInputs)
    case summary(SummaryInputs)
  }

  private let executor = BlockingExecutor(label: "sonde.reader")
  private let source: Source
  private let cancel: @Sendable () -> Void
  private let counters: ReadCounters

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes a reader that has delivered nothing.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, opened.
  ///   - rules: What is an entry.
  /// - Throws: ``InputError`` when the process can have no more files or threads.
  public init(inputs: InputSet, rules: EntryRules) throws {
    let counters = ReadCounters(total: inputs.size)
    self.counters = counters
    switch rules.mode {
    case .list:
      let lists = try ParsedInputs(inputs, rules, counters)
      (source, cancel) = (.parsed(lists), lists.cancel)
    case .log:
      let logs = try LogInputs(inputs, rules, counters)
      (source, cancel) = (.logs(logs), logs.cancel)
    }
  }

  /// Makes a reader of records, whose beginning has been read.
  public init(_ records: sending OpenedRecords) {
    counters = ReadCounters(total: records.file.size)
    let parsed = ParsedInputs(records, counters)
    (source, cancel) = (.parsed(parsed), parsed.cancel)
  }

  /// Makes a reader of the rows of a table.
  init(_ table: OpenedTable) {
    counters = ReadCounters(total: UInt64(table.count))
    (source, cancel) = (.table(TableInputs(table, counters)), {})
  }

  /// Makes a reader that counts what it reads for a summary.
  init(summarizing inputs: InputSet, _ rules: SummaryRules, in book: SummaryBook) throws {
    counters = ReadCounters(total: inputs.size)
    let summary = try SummaryInputs(inputs, rules, book, counters)
    (source, cancel) = (.summary(summary), summary.cancel)
  }

  /// How far the reading is.
  public nonisolated var progress: ReadProgress { counters.value }

  /// Reads the next entries; several tasks may do so at once, and of a log each makes its records.
  ///
  /// - Parameters:
  ///   - limit: The most records.
  ///   - patience: How long to wait where nothing is there; `nil` is for ever.
  /// - Returns: Entries, or why there are none; ``Delivery/end`` only when all entries are out.
  /// - Throws: `CancellationError`, also while waiting.
  public nonisolated func next(
    limit: Int,
    patience: Duration?
  ) async throws(CancellationError) -> Delivery {
    do {
      let step = try await withTaskCancellationHandler {
        try await read(limit: limit, patience: patience)
      } onCancel: { [cancel] in
        cancel()
      }
      switch step {
      case .run(let run): return .entries(run.entries())
      case .delivery(let delivery): return delivery
      }
    } catch {
      throw CancellationError()
    }
  }

  private func read(limit: Int, patience: Duration?) throws -> LogInputs.Step {
    let deadline = patience.map { ContinuousClock.now + $0 }
    switch source {
    case .parsed(let inputs): return .delivery(try inputs.next(limit: limit, deadline: deadline))
    case .logs(let inputs): return try inputs.next(limit: limit, deadline: deadline)
    case .table(let inputs): return .delivery(try inputs.next(limit: limit))
    case .summary(let inputs): return try inputs.next(limit: limit, deadline: deadline)
    }
  }
}

// MARK: - What is not parsed

extension EntryReader {
  /// The next bytes that no entry has come from; `nil` where there are no more to be had.
  ///
  /// A pipe gives none in a cancelled task, for which it could keep waiting.
  func rest() async -> [UInt8]? {
    await withTaskCancellationHandler {
      guard case .parsed(let inputs) = source else { return nil }
      return inputs.rest()
    } onCancel: { [cancel] in
      cancel()
    }
  }

  /// Whether the input has been read to its end.
  var isWhole: Bool {
    switch source {
    case .parsed(let inputs): inputs.isWhole
    case .table(let inputs): inputs.isWhole
    case .logs, .summary: false
    }
  }
}

/// How far reading is, for whoever watches it from another thread.
final class ReadCounters: Sendable {
  private let counters: Mutex<ReadProgress>

  init(total: UInt64?) {
    var progress = ReadProgress()
    progress.total = total
    counters = Mutex(progress)
  }

  /// How far it is.
  var value: ReadProgress { counters.withLock { $0 } }

  /// Changes the counters.
  func update(_ change: (inout ReadProgress) -> Void) { counters.withLock { change(&$0) } }
}
