public import SondeAsking
import SondeInputs
public import SondeOutputs
public import SondeRecords
public import SondeScanner
public import SondeSystem

/// A scan of the rows of an earlier one, in which better answers replace existing ones.
public struct Upgrade: Sendable {
  /// The scan.
  public let scan: Scan

  private let reader: EntryReader
  private let main: Outputs.Place
  private let copiesRest: Bool

  /// Creates an upgrade that has not started.
  ///
  /// - Parameters:
  ///   - records: The rows, whose beginning has been read.
  ///   - main: The output, whose encoder creates replaced values.
  ///   - chain: The providers.
  ///   - batches: The largest number of batches that wait for answers.
  ///   - copiesRest: Whether rows not read because of an interruption are copied unchanged.
  ///   - report: Called for each input that fails.
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

  /// Creates an upgrade of a table that has not started; its rows are changed in place.
  ///
  /// - Parameters:
  ///   - table: The rows.
  ///   - encoder: Creates replaced values.
  ///   - file: The database to change, these rows or a copy of them.
  ///   - chain: The providers.
  ///   - batches: The largest number of batches that wait for answers.
  ///   - report: Called for each input that fails.
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
    let sink = RecordDatabaseSink.changing(file, columns, bits: bits, waiting: table.waiting)
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
    // Copied rows gain no columns, and would not match the header.
    self.copiesRest = copiesRest && !rows.addsColumns
  }

  /// Runs until all required rows were asked about or it is cancelled; then copies the rest if
  /// asked.
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
