public import SondeAsking
public import SondeInputs
public import SondeOutputs
import SondeRecords
public import SondeScanner
public import SondeSummary

/// A scan whose answers are counted and not written: of records what they say, of logs what is
/// answered about each address, as often as it was met.
public struct SummaryScan: Sendable {
  /// The scan that asks.
  public let scan: Scan

  private let book: SummaryBook

  /// Makes a scan that has not begun.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, opened; no literals.
  ///   - rules: What is counted.
  ///   - chain: Who is asked about the addresses of logs.
  ///   - batches: Batches that may wait for their answers at once.
  ///   - main: Where the summary will be written; the scan writes nothing there.
  ///   - report: Told of inputs that fail.
  /// - Throws: ``InputError`` when the process can have no more files or threads.
  public init(
    inputs: InputSet,
    rules: SummaryRules,
    chain: ProviderChain,
    batches: Int,
    main: Outputs.Place,
    report: @escaping EventHandler
  ) throws {
    book = SummaryBook(rules)
    let counters = ReadCounters(total: inputs.size)
    let reader = EntryReader(try SummaryInputs(inputs, rules, book, counters), counters)
    var scanRules = Scan.Rules()
    (scanRules.isUnordered, scanRules.batches) = (true, batches)
    scan = Scan(reader, chain, Outputs(main: main), consumer: book, scanRules, nil, report)
  }

  /// Everything counted so far.
  ///
  /// - Parameter outcome: How the scan ended; its books will tell of all that was counted, answered or
  ///   not, and of what was left out.
  /// - Returns: What the summary is made of.
  public func counts(balancing outcome: inout ScanOutcome) -> SummaryCounts {
    let (counts, chosen) = book.settled
    outcome.countedRecords = counts.records
    if outcome.isInterrupted || chosen != nil {
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

  /// What was not counted, because only lines of some time are wanted.
  public var leftOut: LeftOut { book.leftOut }
}
