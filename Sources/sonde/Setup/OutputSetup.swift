import Glibc
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeReport
import SondeStore
import SondeSystem

/// What is written, as the options name it.
struct OutputSetup {
  private let context: Context

  private var options: Options { context.options }

  init(_ context: Context) { self.context = context }

  /// Opens the outputs that the options name, and empties those that are not appended to.
  ///
  /// None is emptied before all can be written.
  ///
  /// - Parameters:
  ///   - names: What the inputs are called in the `input` column.
  ///   - cards: Whether a terminal gets a card for each address instead of a table.
  ///   - traffic: What is counted in captures, if it is.
  ///   - sinks: Files to append to, in place of new ones.
  ///   - prepare: Opens, and last of all begins, what else is to be written.
  /// - Returns: The outputs.
  /// - Throws: ``UsageError``, or ``OutputError`` when one cannot be opened.
  func outputs(
    named names: [String],
    cards: Bool = false,
    traffic: Traffic? = nil,
    resumed sinks: OutputSinks? = nil,
    with prepare: () throws -> Void = {}
  ) async throws -> Outputs {
    var outputs = Outputs(
      main: Outputs.Place(
        encoder: mainEncoder(cards: cards, named: names, traffic: traffic),
        sink: try sinks?.main ?? sink(at: options.output ?? "-", mainFormat(cards: cards)),
        packing: packing(of: options.output)
      )
    )
    do {
      if let path = options.rejects {
        outputs.rejects = Outputs.Place(
          encoder: encoder(rejectsFormat(of: path), names, isMain: false),
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

  /// Opens the events file, if one is wanted.
  ///
  /// - Parameter appends: Whether the events of an earlier run stay.
  /// - Returns: The file.
  /// - Throws: ``OutputError`` when it cannot be opened.
  func events(appends: Bool) throws(OutputError) -> EventsFile? {
    guard let path = options.events else { return nil }
    return try EventsFile(path: path, appends: appends)
  }

  /// Opens the file of records of a form.
  private func sink(at path: String, _ format: Format) throws(OutputError) -> any RecordSink {
    guard format.isDatabase else { return try sink(at: path) }
    return try RecordDatabaseSink(path: path, columns: fields(of: format), waiting: lockedTable)
  }

  /// Reports that another program has a database locked, and waits until it is free.
  var lockedTable: LockedDatabase {
    let pause = Duration.seconds(600)
    return LockedDatabase(endedBy: Signals.interruption, pause: pause) {
      [console = context.console] in
      console.note($0)
    }
  }

  /// Opens a file to write; `-` is stdout, where the progress line makes room for it if it is on the
  /// same terminal.
  func sink(at path: String) throws(OutputError) -> Sink {
    let interruption = Signals.interruption
    guard path == "-" else { return try Sink(path: path, interruption: interruption) }
    // Reported before any request whose record could not be written.
    guard fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY else {
      throw OutputError(name: "stdout", code: EBADF)
    }
    let isShared = isSameTerminal(STDOUT_FILENO, STDERR_FILENO)
    return Sink(observedBy: isShared ? context.console : nil, interruption: interruption)
  }

  /// Begins the file that is to take the place of one at the end of the run, when it is whole.
  ///
  /// - Parameter path: The file to replace.
  /// - Returns: The new file; `nil` where the output is stdout, a pipe or a device.
  /// - Throws: ``OutputError`` when there can be no file beside it.
  func replacement(of path: String?) throws(OutputError) -> FileReplacement? {
    guard let path, path != "-" else { return nil }
    if let status = FileStatus(path: path), !status.isRegular { return nil }
    return try FileReplacement(of: path, ending: ".partial", isInput: false)
  }

  /// The columns that the options pick, or the usual ones of the form.
  func fields(of format: Format) -> [Field] {
    context.fields(
      usual: format == .table ? Field.table : Field.standard,
      adding: context.addedColumns
    )
  }

  /// The form of the records.
  func mainFormat(cards: Bool) -> Format {
    let isTerminal = options.output == nil && context.writesToTerminal
    guard options.format == nil, isTerminal else { return fileFormat }
    return cards ? .card : .table
  }

  /// The form of the main output where it is no terminal's.
  var fileFormat: Format {
    let isNamed = context.command.writesRecords && options.format == nil
    let named = isNamed ? options.output.flatMap { OutputEnding($0).format } : options.format
    return named ?? .ndjson
  }

  /// The form of the invalid records: that of the others, but never a table, which cuts them, and a
  /// database only where its name says so.
  func rejectsFormat(of path: String) -> Format {
    let isPlain = !fileFormat.isForPerson && !fileFormat.isDatabase
    return OutputEnding(path).format ?? (isPlain ? fileFormat : .ndjson)
  }

  func packing(of path: String?) -> Packing? {
    path.flatMap { $0 == "-" ? nil : OutputEnding($0).packing }
  }

  /// Encodes the records of the main output.
  func mainEncoder(
    cards: Bool = false,
    named inputs: [String],
    traffic: Traffic? = nil
  ) -> RecordEncoder {
    encoder(mainFormat(cards: cards), inputs, traffic, isMain: true)
  }

  private func encoder(
    _ format: Format,
    _ inputs: [String],
    _ traffic: Traffic? = nil,
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
      traffic: traffic,
      added: context.added
    )
  }
}
