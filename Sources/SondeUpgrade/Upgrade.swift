public import SondeAsking
import SondeInputs
public import SondeOutputs
public import SondeRecords
public import SondeScanner
public import SondeSystem

/// A scan of the rows of an earlier one, in which better answers take the places of what is there.
public struct Upgrade: Sendable {
  /// The scan that asks.
  public let scan: Scan

  private let reader: EntryReader
  private let main: Outputs.Place
  private let copiesRest: Bool

  /// Makes an upgrade that has not begun.
  ///
  /// - Parameters:
  ///   - records: The rows, whose beginning has been read.
  ///   - main: Where they go; its encoder makes what is replaced in them.
  ///   - chain: Who is asked.
  ///   - batches: Batches that may wait for their answers at once.
  ///   - copiesRest: Whether rows that are not read because of an interruption are copied as they are.
  ///   - report: Told of inputs that fail.
  public init(
    of records: sending OpenedRecords,
    to main: Outputs.Place,
    chain: ProviderChain,
    batches: Int,
    copiesRest: Bool,
    report: @escaping EventHandler
  ) {
    let rows = RowEncoder(records.layout, records.window, encoder: main.encoder)
    self.init(EntryReader(records), rows, main, chain, batches, copiesRest, report)
  }

  /// Makes an upgrade of a table that has not begun; its rows are changed where they are.
  ///
  /// - Parameters:
  ///   - table: The rows.
  ///   - encoder: Makes what is replaced in them.
  ///   - file: The database that is changed, these rows or a copy of them.
  ///   - chain: Who is asked.
  ///   - batches: Batches that may wait for their answers at once.
  ///   - report: Told of inputs that fail.
  public init(
    of table: OpenedTable,
    encoder: RecordEncoder,
    in file: OutputFile,
    chain: ProviderChain,
    batches: Int,
    report: @escaping EventHandler
  ) {
    let columns = table.changedColumns
    let bits = columns.map(table.layout.filling.bit)
    let sink = TableSink.changing(file, columns, bits: bits, waiting: table.waiting)
    let main = Outputs.Place(encoder: encoder, sink: sink)
    let rows = RowEncoder(table.layout, table.window, encoder: encoder)
    self.init(EntryReader(table), rows, main, chain, batches, false, report)
  }

  private init(
    _ reader: EntryReader,
    _ rows: RowEncoder,
    _ main: Outputs.Place,
    _ chain: ProviderChain,
    _ batches: Int,
    _ copiesRest: Bool,
    _ report: @escaping EventHandler
  ) {
    var rules = Scan.Rules()
    (rules.keepsDuplicates, rules.batches) = (true, batches)
    scan = Scan(reader, chain, Outputs(main: main), consumer: rows, rules, nil, report)
    (self.reader, self.main) = (reader, main)
    // Rows that are copied gain no columns, and would not fit the header.
    self.copiesRest = copiesRest && !rows.addsColumns
  }

  /// Runs until every row is asked about that is to be, or until it is cancelled; then the rows that
  /// are left are copied, if that is wanted.
  public func run() async -> ScanOutcome {
    var outcome = await scan.run()
    guard outcome.outputError == nil, copiesRest || !outcome.isInterrupted else { return outcome }
    do throws(OutputError) {
      // The end of an array, what cannot be read, and what an interruption has left.
      while let bytes = await reader.rest() { try await main.write(bytes) }
      outcome.isCopied = await reader.isWhole
    } catch {
      outcome.outputError = error
    }
    return outcome
  }
}
