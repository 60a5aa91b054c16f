import SondeInputs
import SondeProviders
public import SondeRecords
import SondeSystem
import SondeUpgrade
import Synchronization

/// A file whose records have no status, so that they cannot be counted.
public struct MissingStatusError: Error, CustomStringConvertible {
  /// The error, in plain words.
  public let description: String
}

/// The output of a finished scan, read again for its counts.
public actor FinishedRecords {
  private nonisolated let executor = BlockingExecutor(label: "sonde.finished")

  /// The executor of the thread that reads the files.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a reader that has read nothing.
  public init() {}

  /// Counts the records of files, one entry each, without duplicates, which have no record.
  ///
  /// - Throws: ``InputError`` for an unreadable file, ``MissingStatusError`` for one without the
  ///   status of its entries, and `CancellationError` if the task is cancelled.
  public func tally(of paths: [String]) throws -> Tally {
    let book = TallyBook()
    let interrupt = try WakePipe.forInputs()
    for path in paths {
      if OpenedTable.isDatabase(path: path) {
        let records = try RecordDatabaseReader(path: path, size: 0, book)
        try read { records.read() }
      } else if let records = try reader(of: path, book, interrupt) {
        try read { try records.read(interruptedBy: interrupt) }
      }
      guard !book.lacksStatus else { throw Self.missingStatus(path) }
    }
    return book.tally
  }

  private func read(_ next: () throws -> (isLast: Bool, failure: InputError?)) throws {
    while true {
      try Task.checkCancellation()
      let (isLast, failure) = try next()
      if let failure { throw failure }
      if isLast { return }
    }
  }

  /// The reader of a text file; `nil` for an empty one.
  private func reader(
    of path: String,
    _ book: TallyBook,
    _ interrupt: WakePipe
  ) throws -> RecordReader? {
    let file = try InputFile(.file(path))
    var (bytes, isAtEnd): ([UInt8], Bool) = ([], false)
    while true {
      let size = max(64 << 10, bytes.count)
      switch file.read(into: &bytes, atMost: size, ByteWait(interrupt)) {
      case .more, .silence: break
      case .end: isAtEnd = true
      case .interrupted: throw CancellationError()
      case .failure(let failure): throw failure
      }
      if isAtEnd, bytes.isEmpty { return nil }
      switch RecordForm.recognize(bytes.span, isLast: isAtEnd) {
      case .undecided: continue
      case .records(let form):
        return RecordReader(form, file, bytes, isAtEnd: isAtEnd, name: path, book)
      case .unread(let form):
        throw MissingStatusError(
          description: "\(path): holds records as \(form), which is not read"
        )
      case .none: throw Self.missingStatus(path)
      }
    }
  }

  private static func missingStatus(_ path: String) -> MissingStatusError {
    MissingStatusError(description: "\(path): does not say how its entries ended")
  }
}

/// Counts based on records only.
private final class TallyBook: RecordBook {
  private let state = Mutex((tally: Tally(), lacksStatus: false))

  let needsAllFields = false

  var tally: Tally { state.withLock(\.tally) }
  var lacksStatus: Bool { state.withLock(\.lacksStatus) }

  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String) {
    var record = record
    record.source = Source.all.first { $0.name == source }
    state.withLock { state in
      state.tally.entries += 1
      state.tally.count(record)
      if status == nil { state.lacksStatus = true }
    }
  }
}
