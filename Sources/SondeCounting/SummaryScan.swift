public import SondeAsking
public import SondeInputs
package import SondeLogs
public import SondeOutputs
import SondeRecords
public import SondeScanner
public import SondeSummary
import SondeSystem

/// A scan whose answers are counted instead of written: the content of records, and the answers
/// about addresses in logs, by the number of their occurrences.
public struct SummaryScan: Sendable {
  /// The scan.
  public let scan: Scan

  private let book: SummaryBook
  private let asksLater: Bool

  /// Creates a scan that has not started.
  ///
  /// - Parameters:
  ///   - inputs: The opened inputs, without literals.
  ///   - rules: The rules for counting.
  ///   - chain: The providers asked about addresses in logs.
  ///   - batches: The largest number of batches that wait for answers.
  ///   - main: The output of the summary, to which the scan writes nothing.
  ///   - report: Called for each input that fails.
  /// - Throws: ``InputError`` if no more files or threads are available.
  public init(
    inputs: InputSet,
    rules: SummaryRules,
    chain: ProviderChain,
    batches: Int,
    main: Outputs.Place,
    report: @escaping EventHandler
  ) throws {
    book = SummaryBook(rules)
    asksLater = rules.asksLater != nil
    let counters = ReadCounters(total: inputs.size)
    let reader = EntryReader(try SummaryInputs(inputs, rules, book, counters), counters)
    var scanRules = Scan.Rules()
    (scanRules.isUnordered, scanRules.batches) = (true, batches)
    scan = Scan(reader, chain, Outputs(main: main), consumer: book, scanRules, nil, report)
  }

  /// Everything counted so far.
  ///
  /// Completes `outcome` with all counts, including those of unanswered and excluded addresses.
  public func counts(balancing outcome: inout ScanOutcome) -> SummaryCounts {
    book.judgeTotals()
    let (counts, chosen) = book.settled
    outcome.countedRecords = counts.records
    if outcome.isInterrupted || chosen != nil || asksLater {
      if let chosen { outcome.tally = chosen }
      let addresses = counts.addresses
      outcome.tally.entries = addresses.occurrences
      outcome.tally.duplicates = addresses.occurrences - addresses.questions
      outcome.unanswered = addresses.questions - outcome.tally.settled
    }
    outcome.tally.entries += leftOut.excluded
    outcome.tally.excluded += leftOut.excluded
    return counts
  }

  /// The input not counted because of the period.
  package var leftOut: LeftOut { book.leftOut }

  /// Counts the records in the database at `path` without asking any provider.
  ///
  /// - Throws: ``InputError`` if it cannot be read.
  public static func counts(ofTable path: String) throws(InputError) -> SummaryCounts {
    let book = SummaryBook(SummaryRules())
    let size = FileStatus(path: path)?.size ?? 0
    let table = try RecordDatabaseReader(path: path, size: UInt64(clamping: size), book)
    while true {
      let (isLast, failure) = table.read()
      if let failure { throw failure }
      if isLast { return book.counts }
    }
  }
}
