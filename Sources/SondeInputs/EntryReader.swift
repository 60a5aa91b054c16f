import SondeRecords
import SondeSystem
import Synchronization

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

  /// What came of one step of a source.
  package enum Step: Sendable {
    case delivery(Delivery)
    /// Entries whose records are made in any task.
    case run(@Sendable () -> EntryBlock)
  }

  private let executor = BlockingExecutor(label: "sonde.reader")
  private let source: any EntrySource
  private let cancel: @Sendable () -> Void
  private let counters: ReadCounters

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes a reader that has delivered nothing.
  ///
  /// - Parameters:
  ///   - source: Where the entries come from.
  ///   - counters: What the source counts in.
  package init(_ source: sending any EntrySource, _ counters: ReadCounters) {
    (cancel, self.counters) = (source.cancel, counters)
    self.source = source
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
      case .run(let entries): return .entries(entries())
      case .delivery(let delivery): return delivery
      }
    } catch {
      throw CancellationError()
    }
  }

  private func read(limit: Int, patience: Duration?) throws -> Step {
    try source.next(limit: limit, deadline: patience.map { ContinuousClock.now + $0 })
  }
}

// MARK: - What is not parsed

extension EntryReader {
  /// The next bytes that no entry has come from; `nil` where there are no more to be had.
  ///
  /// A pipe gives none in a cancelled task, for which it could keep waiting.
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

/// How far reading is, for whoever watches it from another thread.
package final class ReadCounters: Sendable {
  private let counters: Mutex<ReadProgress>

  package init(total: UInt64?) {
    var progress = ReadProgress()
    progress.total = total
    counters = Mutex(progress)
  }

  /// How far it is.
  package var value: ReadProgress { counters.withLock { $0 } }

  /// Changes the counters.
  package func update(_ change: (inout ReadProgress) -> Void) { counters.withLock { change(&$0) } }
}
