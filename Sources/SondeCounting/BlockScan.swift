public import SondeAddresses
public import SondeAsking
public import SondeBlock
public import SondeInputs
package import SondeLogs
public import SondeOutputs
import SondeProviders
import SondeRecords
public import SondeScanner
import SondeSummary
import SondeSystem
import Synchronization

/// A scan that counts the bad, good and other hits of each address.
public struct BlockScan: Sendable {
  /// The scan.
  public let scan: Scan

  private let book: BlockBook

  /// Creates a scan that has not started.
  ///
  /// - Parameters:
  ///   - inputs: The opened inputs, without literals.
  ///   - rules: The rules for counting; their filter and groupings are not used.
  ///   - judge: What tells bad hits from good ones.
  ///   - chain: The providers asked about addresses in logs.
  ///   - batches: The largest number of batches that wait for answers.
  ///   - main: The output of the rules, to which the scan writes nothing.
  ///   - report: Called for each input that fails.
  /// - Throws: ``InputError`` if no more files or threads are available.
  public init(
    inputs: InputSet,
    rules: SummaryRules,
    judge: HitJudge,
    chain: ProviderChain,
    batches: Int,
    main: Outputs.Place,
    report: @escaping EventHandler
  ) throws {
    var rules = rules
    (rules.judge, rules.filter, rules.groupings) = (judge, nil, [])
    book = BlockBook(rules, judge)
    let counters = ReadCounters(total: inputs.size)
    let reader = EntryReader(try SummaryInputs(inputs, rules, book, counters), counters)
    scan = Scan(
      reader,
      chain,
      Outputs(main: main),
      consumer: book,
      Self.rules(batches),
      nil,
      report
    )
  }

  private static func rules(_ batches: Int) -> Scan.Rules {
    var rules = Scan.Rules()
    (rules.isUnordered, rules.batches) = (true, batches)
    return rules
  }

  /// The hits of each address, and where addresses belong of which that is known.
  ///
  /// Completes `outcome` with all counts, including those of addresses that were not asked about.
  public func hits(
    balancing outcome: inout ScanOutcome
  ) -> (hits: [AddressHits], origin: (Address) -> BlockOrigin?) {
    let (hits, addresses, _) = book.sizes
    outcome.countedRecords = book.records
    outcome.tally.entries = hits
    outcome.tally.duplicates = hits - addresses
    outcome.unanswered = addresses - outcome.tally.settled
    let settled = book.settled
    return (settled.hits, { address in settled.origin(address).map { BlockOrigin($0) } })
  }

  /// The input not counted because of the period.
  package var leftOut: LeftOut { book.leftOut }

  /// Asks about further addresses, and returns where they belong as far as there are answers.
  public static func origins(
    of addresses: [Address],
    chain: ProviderChain,
    batches: Int,
    main: Outputs.Place
  ) async -> [Address: BlockOrigin] {
    let counters = ReadCounters(total: nil)
    let book = OriginBook(addresses)
    let reader = EntryReader(ListedAddresses(addresses), counters)
    let scan = Scan(
      reader,
      chain,
      Outputs(main: main),
      consumer: book,
      rules(batches),
      nil,
      { _ in }
    )
    _ = await scan.run()
    return book.origins
  }
}

extension BlockOrigin {
  fileprivate init(_ origin: Profiles.Origin) {
    self.init()
    (countryCode, asName) = (origin.countryCode, origin.asName)
    asn = origin.asn == 0 ? nil : origin.asn
  }
}

/// Addresses to ask about, as an input.
private final class ListedAddresses: EntrySource {
  private var run: LogRun

  init(_ addresses: [Address]) {
    run = LogRun(asking: addresses.map { ($0, nil) })
  }

  /// Nothing waits.
  var cancel: @Sendable () -> Void { {} }

  func next(limit: Int, deadline: ContinuousClock.Instant?) throws(CancellationError) -> Step {
    run.isEmpty ? .delivery(.end) : .run(run.removeFirst(limit).entries)
  }
}

/// Takes the answers about listed addresses.
private final class OriginBook: RecordConsumer {
  private let addresses: [Address]
  private let profiles = Mutex(Profiles())

  init(_ addresses: [Address]) { self.addresses = addresses }

  var origins: [Address: BlockOrigin] {
    let profiles = profiles.withLock { $0 }
    return addresses.enumerated().reduce(into: [:]) { origins, element in
      origins[element.element] = profiles.origin(ofAnswerTo: element.offset).map { BlockOrigin($0) }
    }
  }

  func append(_ record: Record, bytes: Span<UInt8>, of question: UInt64, to chunk: inout Chunk) {
    chunk.tally.count(record)
    profiles.withLock {
      $0.settle(question, record, bytes: bytes, source: record.source?.name ?? "")
    }
  }
}
