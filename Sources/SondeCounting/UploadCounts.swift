import SondeAddresses
public import SondeInputs
import SondeLogs
import SondeRecords
import SondeScanner
public import SondeSummary
import SondeSystem

extension SummaryScan {
  /// Counts the records in the database at `path` without asking any provider, each as often as
  /// its address occurs in the input that they were made of.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - upload: The opened input, and how it is read; without one, each record counts once.
  ///   - isStopped: Whether to end early, with what is counted so far.
  /// - Returns: The counts so far.
  /// - Throws: ``InputError`` if the database cannot be read.
  public static func counts(
    ofTable path: String,
    from upload: (inputs: InputSet, mode: InputMode)?,
    until isStopped: () -> Bool
  ) throws(InputError) -> SummaryCounts {
    var rules = SummaryRules()
    rules.isLog = true
    let book = SummaryBook(rules)
    switch upload?.mode {
    case .log: try book.readLog(upload?.inputs, rules, until: isStopped)
    case .list: try book.readList(upload?.inputs, until: isStopped)
    case nil: break
    }
    let answers: any RecordBook = upload == nil ? book : AnsweredBook(book)
    let size = FileStatus(path: path)?.size ?? 0
    let table = try RecordDatabaseReader(path: path, size: UInt64(clamping: size), answers)
    while !isStopped() {
      let (isLast, failure) = table.read()
      if let failure { throw failure }
      if isLast { break }
    }
    return book.counts
  }
}

extension SummaryBook {
  /// Counts the addresses of a log; what cannot be read is left out.
  fileprivate func readLog(
    _ inputs: InputSet?,
    _ rules: SummaryRules,
    until isStopped: () -> Bool
  ) throws(InputError) {
    guard let inputs else { return }
    let source = try SummaryInputs(inputs, rules, self, ReadCounters(total: inputs.size))
    while !isStopped() {
      guard let step = try? source.next(limit: 65_536, deadline: nil) else { return }
      if case .delivery(.end) = step { return }
    }
  }

  /// Counts the addresses of a list; what cannot be read is left out.
  fileprivate func readList(_ inputs: InputSet?, until isStopped: () -> Bool) throws(InputError) {
    guard let inputs else { return }
    var rules = EntryRules()
    rules.keepsDuplicates = true
    let source = try ParsedInputs(inputs, rules, ReadCounters(total: inputs.size))
    while !isStopped() {
      guard let step = try? source.next(limit: 4096, deadline: nil) else { return }
      switch step {
      case .delivery(.end): return
      case .delivery(.entries(let entries)): count(entries)
      case .run(let entries): count(entries())
      case .delivery: continue
      }
    }
  }
}

/// Takes records as the answers about addresses whose occurrences are counted.
private final class AnsweredBook: RecordBook {
  let needsAllFields = false
  private let book: SummaryBook

  init(_ book: SummaryBook) { self.book = book }

  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String) {
    guard !book.settle(record, of: block, source: source) else { return }
    book.count(record, of: block, status: status, source: source)
  }
}
