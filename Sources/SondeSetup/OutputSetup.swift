import Glibc
import SondeCompare
import SondeOptions
package import SondeOutputs
import SondeProviders
package import SondeRecords
package import SondeReport
import SondeStore
import SondeSystem

/// Opens the outputs that the options name.
package struct OutputSetup {
  private let context: Context

  private var options: Options { context.options }

  package init(_ context: Context) { self.context = context }

  /// Opens the outputs that the options name and truncates those that are not appended to.
  ///
  /// None is truncated before all can be written.
  ///
  /// - Parameters:
  ///   - names: The names of the inputs in the `input` column.
  ///   - cards: Whether a terminal gets a card for each address instead of a table.
  ///   - sightings: The occurrences of addresses, if they are recorded.
  ///   - sinks: Existing files to append to.
  ///   - prepare: Opens and, as the last step, starts any other output.
  /// - Returns: The outputs.
  /// - Throws: ``UsageError``, or ``OutputError`` if one cannot be opened.
  package func outputs(
    named names: [String],
    cards: Bool = false,
    sightings: Sightings? = nil,
    resumed sinks: OutputSinks? = nil,
    with prepare: () throws -> Void = {}
  ) async throws -> Outputs {
    var outputs = Outputs(
      main: Outputs.Place(
        encoder: mainEncoder(cards: cards, named: names, sightings: sightings),
        sink: try sinks?.main ?? sink(at: options.output ?? "-", mainFormat(cards: cards)),
        packing: packing(of: options.output)
      )
    )
    do {
      if let path = options.rejects {
        outputs.rejects = Outputs.Place(
          encoder: encoder(rejectsFormat(of: path), names, sightings, isMain: false),
          sink: try sinks?.rejects ?? sink(at: path, rejectsFormat(of: path)),
          packing: packing(of: path)
        )
      }
      if let path = options.missing {
        outputs.missing = try sinks?.missing ?? sink(at: path)
        outputs.missingPacking = packing(of: path)
      }
      try prepare()
      try await outputs.empty()
    } catch {
      await outputs.discard()
      throw error
    }
    return outputs
  }

  /// Opens the events file, if any; `appends`: whether the events of an earlier run are kept.
  package func events(appends: Bool) throws(OutputError) -> EventsFile? {
    guard let path = options.events else { return nil }
    return try EventsFile(path: path, appends: appends, anonymizer: context.anonymizer)
  }

  /// Opens the main output in a format.
  private func sink(at path: String, _ format: Format) throws(OutputError) -> any RecordSink {
    guard format.isDatabase else { return try sink(at: path) }
    return try RecordDatabaseSink(path: path, columns: fields(of: format), waiting: lockedTable)
  }

  /// Reports that another program has locked a database, and waits for it.
  package var lockedTable: LockedDatabase {
    let pause = Duration.seconds(600)
    return LockedDatabase(endedBy: Signals.interruption, pause: pause) {
      [console = context.console] in
      console.note($0)
    }
  }

  /// Opens a file, or stdout for `-`, for which a progress line on the same terminal makes room.
  package func sink(at path: String) throws(OutputError) -> Sink {
    let interruption = Signals.interruption
    guard path == "-" else { return try Sink(path: path, interruption: interruption) }
    // Reported before any request, as no record could be written.
    guard fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY else {
      throw OutputError(name: "stdout", code: EBADF)
    }
    let isShared = isSameTerminal(STDOUT_FILENO, STDERR_FILENO)
    return Sink(observedBy: isShared ? context.console : nil, interruption: interruption)
  }

  /// Creates the file that replaces another when the run is complete.
  ///
  /// Returns `nil` if the output is stdout, a pipe or a device.
  ///
  /// - Throws: ``OutputError`` if no file can be created beside it.
  package func replacement(of path: String?) throws(OutputError) -> FileReplacement? {
    guard let path, path != "-" else { return nil }
    if let status = FileStatus(path: path), !status.isRegular { return nil }
    return try FileReplacement(of: path, ending: ".partial", isInput: false)
  }

  /// The requested columns, or the default ones of the format.
  package func fields(of format: Format) -> [Field] {
    let isTable = format == .table
    if let comparison = context.comparison {
      return isTable ? comparison.tableFields : comparison.fields
    }
    var usual = isTable ? Field.table : Field.standard
    if options.byNetwork { usual.insert(.network, at: 1) }
    return context.fields(
      usual: usual,
      adding: context.addedColumns
    )
  }

  package func mainFormat(cards: Bool) -> Format {
    let isTerminal = options.output == nil && context.writesToTerminal
    guard options.format == nil, isTerminal else { return fileFormat }
    return cards ? .card : .table
  }

  /// The format of the main output if it is not a terminal.
  package var fileFormat: Format {
    let isNamed = context.command.writesRecords && options.format == nil
    let named = isNamed ? options.output.flatMap { OutputEnding($0).format } : options.format
    return named ?? .ndjson
  }

  /// The format of invalid records: that of the others, but never a table, which truncates, and a
  /// database only if the file name implies it.
  package func rejectsFormat(of path: String) -> Format {
    let isPlain = !fileFormat.isForPerson && !fileFormat.isDatabase
    return OutputEnding(path).format ?? (isPlain ? fileFormat : .ndjson)
  }

  package func packing(of path: String?) -> Packing? {
    path.flatMap { $0 == "-" ? nil : OutputEnding($0).packing }
  }

  package func mainEncoder(
    cards: Bool = false,
    named inputs: [String],
    sightings: Sightings? = nil
  ) -> RecordEncoder {
    encoder(mainFormat(cards: cards), inputs, sightings, isMain: true)
  }

  private func encoder(
    _ format: Format,
    _ inputs: [String],
    _ sightings: Sightings? = nil,
    isMain: Bool
  ) -> RecordEncoder {
    let isTerminal = isMain && options.output == nil && context.writesToTerminal
    return RecordEncoder(
      format: format,
      fields: fields(of: format),
      inputs: inputs,
      sources: Provider.sourceNames,
      spreadsheet: options.spreadsheet,
      width: isTerminal ? terminalWidth(of: STDOUT_FILENO) : nil,
      colors: isMain && options.output == nil
        && usesColor(options.color, isTerminal: isTerminal, environment: context.environment),
      sightings: sightings,
      added: context.added,
      anonymizer: context.anonymizer
    )
  }
}
