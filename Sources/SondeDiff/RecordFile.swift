import SondeInputs
import SondeRecords
import SondeSQLite
import SondeSystem

/// The records of a file in the order of a comparison.
struct SortedRecords {
  let names: FieldNames
  let merge: RunMerge
}

/// Reads the records of a file and sorts them.
struct RecordFile {
  private static let sliceSize = 512 << 10
  /// The number of rows of a database per read.
  private static let batch = 4096
  /// The longest wait for a pipe before cancellation is checked.
  private static let patience = Duration.milliseconds(100)

  private let input: Input
  private var names: FieldNames
  private var sorter = RunSorter()
  private var record = ReadRecord()

  /// The line of the first byte that is not consumed.
  private var line = 1

  private init(_ input: Input, _ choice: FieldChoice) {
    (self.input, names) = (input, FieldNames(choice))
  }

  /// Reads a whole file.
  ///
  /// - Throws: ``InputError`` if any of it is not a record; `CancellationError`.
  static func sorted(_ input: Input, _ choice: FieldChoice) throws -> sending SortedRecords {
    var file = RecordFile(input, choice)
    if case .file(let path) = input, try OpenFile(input).content == .foreign(.database) {
      try file.readTable(path)
    } else {
      try file.readText()
    }
    return SortedRecords(
      names: file.names,
      merge: try file.guarded { file throws(SystemError) in
        try file.sorter.finish()
      }
    )
  }

  private func failure(_ reason: String) -> InputError {
    InputError(name: input.name, reason: reason)
  }

  /// Runs a step of the sorter, whose files are temporary.
  private mutating func guarded<Result>(
    _ body: (inout RecordFile) throws(SystemError) -> Result
  ) throws(InputError) -> Result {
    do throws(SystemError) {
      return try body(&self)
    } catch {
      throw failure("cannot be sorted in a temporary file (TMPDIR): \(error)")
    }
  }

  /// Adds the current record to the sorter.
  private mutating func add(at place: String) throws(InputError) {
    guard !record.ip.isEmpty else { throw failure("\(place) has no ip") }
    let (ip, cells) = (record.ip, record.cells)
    let (key, tie) = RecordKey.of(ip.span)
    try guarded { file throws(SystemError) in
      try file.sorter.add(key, tie: ip.span.extracting(tie...)) { $0 += cells }
    }
  }

  // MARK: - Text

  private mutating func readText() throws {
    let file = try InputFile(input)
    let interrupt = try WakePipe.forInputs()
    var (bytes, isAtEnd): ([UInt8], Bool) = ([], false)
    var rows: (RecordRows, TextRecordReader)?
    while true {
      try Task.checkCancellation()
      let size = max(Self.sliceSize, bytes.count)
      let wait = ByteWait(until: .now + Self.patience, interrupt)
      switch isAtEnd ? .end : file.read(into: &bytes, atMost: size, wait) {
      case .more: break
      case .silence: continue
      case .end: isAtEnd = true
      case .interrupted: throw CancellationError()
      case .failure(let failure): throw failure
      }
      if rows == nil {
        let found = try RecordForm.ofAnyColumns(bytes.span, isLast: isAtEnd, name: input.name)
        guard let (form, header) = found else { continue }
        rows = (RecordRows(form), TextRecordReader(form.kind, header, &names))
      }
      guard var (known, reader) = rows else { continue }
      let text = bytes
      let (end, isDone) = try read(text.span, &known, &reader, isLast: isAtEnd)
      rows = (known, reader)
      if isDone { return }
      bytes.removeFirst(end)
    }
  }

  /// Reads the complete rows; returns the position after them, and whether they are the last.
  private mutating func read(
    _ bytes: Span<UInt8>,
    _ rows: inout RecordRows,
    _ reader: inout TextRecordReader,
    isLast: Bool
  ) throws(InputError) -> (end: Int, isDone: Bool) {
    var start = 0
    while true {
      switch rows.next(in: bytes, from: start, isLast: isLast) {
      case .more: return (start, false)
      case .end: return (bytes.count, true)
      case .broken(let place, let flaw):
        throw failure("line \(line + bytes.countNewlines(start..<place)): \(flaw)")
      case .row(let lead, let end):
        if let flaw = reader.read(rows, in: bytes, &names, into: &record) {
          throw failure("line \(line + bytes.countNewlines(start..<lead)): \(flaw)")
        }
        try add(at: "line \(line + bytes.countNewlines(start..<lead))")
        line += bytes.countNewlines(start..<end)
        start = end
      }
    }
  }

  // MARK: - SQLite

  private mutating func readTable(_ path: String) throws {
    do {
      let columns = try RecordDatabase(path: path).openForReading().recordColumns()
      guard columns.contains(Field.ip.name) else { throw failure(RecordDatabase.isMissing) }
      var last = Int64.min
      while true {
        try Task.checkCancellation()
        var flaw: InputError?
        var count = 0
        let database = try RecordDatabase(path: path).openForReading()
        last = try database.eachRecord(columns, behind: last, limit: Self.batch) { number, row in
          count += 1
          guard flaw == nil else { return }
          do throws(InputError) {
            try add(row, columns, number)
          } catch {
            flaw = error
          }
        }
        if let flaw { throw flaw }
        if count == 0 { return }
      }
    } catch let error as SQLiteError {
      throw InputError(table: path, error)
    }
  }

  private mutating func add(
    _ row: Statement?,
    _ columns: [String],
    _ number: Int64
  ) throws(InputError) {
    guard let row else { throw failure("row \(number): \(RecordDatabase.isTooLong)") }
    record.begin()
    var previous: Int?
    for (index, name) in columns.enumerated() {
      guard let column = names.number(of: name, behind: previous) else { continue }
      previous = column
      // The first column is the row's number.
      record.add(row, Int32(clamping: index + 1), column, isAddress: name == Field.ip.name)
    }
    try add(at: "row \(number)")
  }
}
