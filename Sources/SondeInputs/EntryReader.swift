package import SondePrivacy
import SondeRecords
import SondeSystem
import Synchronization

/// Reads inputs in order and delivers available entries without unnecessary waits.
///
/// Reading blocks, so the actor has its own thread. It reads only a few slices ahead of a consumer.
public actor EntryReader {
  /// The result of a read.
  public enum Delivery: Sendable {
    /// Entries, or only duplicates.
    case entries(EntryBlock)
    /// Nothing arrived in time.
    case silence
    /// An input failed; the others continue.
    case failure(InputError)
    /// All inputs are read.
    case end
  }

  /// The result of one step of a source.
  package enum Step: Sendable {
    case delivery(Delivery)
    /// Entries whose records are created in any task.
    case run(@Sendable () -> EntryBlock)
  }

  private let executor = BlockingExecutor(label: "sonde.reader")
  private let source: any EntrySource
  private let cancel: @Sendable () -> Void
  private let counters: ReadCounters
  private let pseudonyms: Pseudonyms?

  /// The executor of a separate thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a reader that has delivered nothing, with its source's counters.
  ///
  /// With `pseudonyms`, the inputs contain these, and the entries are of the true addresses.
  package init(
    _ source: sending any EntrySource,
    _ counters: ReadCounters,
    revealing pseudonyms: Pseudonyms? = nil
  ) {
    (cancel, self.counters, self.pseudonyms) = (source.cancel, counters, pseudonyms)
    self.source = source
  }

  /// The progress of reading.
  public nonisolated var progress: ReadProgress { counters.value }

  /// Reads the next entries, also concurrently; the caller creates the records of a log's slice.
  ///
  /// - Parameters:
  ///   - limit: The largest number of records.
  ///   - patience: How long to wait for input; `nil` for no limit.
  /// - Returns: Entries, or why there are none; ``Delivery/end`` only after all entries.
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
      case .run(let entries): return .entries(revealed(entries()))
      case .delivery(.entries(let entries)): return .entries(revealed(entries))
      case .delivery(let delivery): return delivery
      }
    } catch {
      throw CancellationError()
    }
  }

  private nonisolated func revealed(_ entries: EntryBlock) -> EntryBlock {
    pseudonyms.map { entries.revealed(by: $0) } ?? entries
  }

  private func read(limit: Int, patience: Duration?) throws -> Step {
    try source.next(limit: limit, deadline: patience.map { ContinuousClock.now + $0 })
  }
}

// MARK: - Unparsed text

extension EntryReader {
  /// The next bytes that belong to no entry; `nil` if there are no more.
  ///
  /// In a cancelled task, a pipe returns none, since it could wait forever.
  package func rest() async -> [UInt8]? {
    await withTaskCancellationHandler {
      source.rest()
    } onCancel: { [cancel] in
      cancel()
    }
  }

  /// Whether the input has been read to its end.
  package var isWhole: Bool { source.isWhole }
}

/// The progress of reading, shared between threads.
package final class ReadCounters: Sendable {
  private let counters: Mutex<ReadProgress>

  package init(total: UInt64?) {
    var progress = ReadProgress()
    progress.total = total
    counters = Mutex(progress)
  }

  package var value: ReadProgress { counters.withLock { $0 } }

  package func update(_ change: (inout ReadProgress) -> Void) { counters.withLock { change(&$0) } }
}
