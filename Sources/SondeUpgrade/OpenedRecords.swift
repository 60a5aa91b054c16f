public import SondeInputs
public import SondeRecords
import SondeSystem

/// A file or pipe of records, read up to the recognition of its format.
public struct OpenedRecords {
  private static let sliceSize = 512 << 10

  /// The format.
  public let layout: RecordLayout
  let input: Input
  /// The fallback providers, whose answers are requested again.
  let fallbacks: [Source]
  let beginning: ReadBeginning
  let window = RowWindow()

  /// Whether the records are compressed.
  public var isCompressed: Bool { beginning.file.isCompressed }

  /// Whether it is a file, not a pipe.
  public var isFile: Bool { beginning.file.size != nil }

  /// Opens records and waits for the first of them.
  ///
  /// - Throws: ``InputError`` if they cannot be read, or are not records.
  public init(
    _ input: Input,
    fallbacks: [Source],
    filling: RowFilling = RowFilling()
  ) throws(InputError) {
    let interrupt = try WakePipe.forInputs()
    let file = try InputFile(input)
    var (bytes, isAtEnd): ([UInt8], Bool) = ([], false)
    var known: RecordLayout?
    while known == nil {
      let size = max(Self.sliceSize, bytes.count)
      switch file.read(into: &bytes, atMost: size, ByteWait(interrupt)) {
      case .more, .silence, .interrupted: break
      case .end: isAtEnd = true
      case .failure(let failure): throw failure
      }
      known = try RecordLayout.recognize(
        bytes.span,
        isLast: isAtEnd,
        name: input.name,
        filling: filling
      )
    }
    guard let known else { throw InputError(name: input.name, reason: "no records") }
    layout = known
    (self.input, self.fallbacks) = (input, fallbacks)
    beginning = ReadBeginning(file: file, bytes: bytes, isAtEnd: isAtEnd, interrupt: interrupt)
  }
}

extension EntryReader {
  init(_ records: sending OpenedRecords) {
    let counters = ReadCounters(total: records.beginning.file.size)
    let parser = RecordParser(
      records.layout,
      name: records.input.name,
      fallbacks: records.fallbacks,
      window: records.window
    )
    self.init(ParsedInputs(records.beginning, parser, counters), counters)
  }

  init(_ table: OpenedTable) {
    let counters = ReadCounters(total: UInt64(table.count))
    self.init(TableInputs(table, counters), counters)
  }
}
