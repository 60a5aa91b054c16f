public import SondeAsking
public import SondeCompare
public import SondeInputs
public import SondeOutputs
import SondeRecords
public import SondeScanner
import Synchronization

/// A scan of a comparison whose records are counted instead of written.
public struct ComparisonScan: Sendable {
  /// The scan.
  public let scan: Scan

  private let book: ComparisonBook

  /// Creates a scan that has not started.
  ///
  /// - Parameters:
  ///   - reader: The entries.
  ///   - comparison: What makes the records.
  ///   - chain: The sources, whose answers it merges.
  ///   - rules: The rules of the scan.
  ///   - main: The output of the tables, to which the scan writes nothing.
  ///   - report: Called for each input that fails.
  public init(
    reader: EntryReader,
    comparison: Comparison,
    chain: ProviderChain,
    rules: Scan.Rules,
    main: Outputs.Place,
    report: @escaping EventHandler
  ) {
    var rules = rules
    rules.isUnordered = true
    book = ComparisonBook(comparison)
    scan = Scan(reader, chain, Outputs(main: main), consumer: book, rules, nil, report)
  }

  /// The counts of the records so far.
  public var counts: ComparisonCounts { book.counts }
}

/// Counts the records of a comparison, from several threads.
private final class ComparisonBook: RecordConsumer {
  private let comparison: Comparison
  private let kept: Mutex<ComparisonCounts>

  init(_ comparison: Comparison) {
    self.comparison = comparison
    kept = Mutex(comparison.emptyCounts)
  }

  var counts: ComparisonCounts { kept.withLock { $0 } }

  func append(_ record: Record, bytes: Span<UInt8>, of number: UInt64, to chunk: inout Chunk) {
    chunk.tally.count(record)
    let opinions = comparison.opinions(of: record, bytes: bytes)
    guard !opinions.isEmpty else { return }
    let truth = comparison.truth(of: record)
    kept.withLock { $0.count(opinions, truth: truth) }
  }
}
