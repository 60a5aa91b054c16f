import SondeRecords
package import SondeSystem

/// Counts records as they are, and asks nobody about them.
///
/// One thread at a time may use it.
package final class RecordReader {
  private static let sliceSize = 512 << 10

  private let form: RecordForm
  private let file: InputFile
  private let name: String
  private let book: any RecordBook
  private var buffer: [UInt8]
  private var isAtEnd: Bool
  private var isDone = false
  private var rows: RecordRows
  private var value: RecordValue
  /// The line of the first byte of the buffer.
  private var line = 1
  private var hasFlaw = false
  /// What is wrong with the records, not yet told.
  private var flaws: [InputError] = []

  /// Makes a reader of records whose beginning has been read.
  ///
  /// - Parameters:
  ///   - form: Their form.
  ///   - file: Where the rest comes from.
  ///   - beginning: What has been read of it.
  ///   - isAtEnd: Whether that is all.
  ///   - name: What a person calls them.
  ///   - book: Where they are counted.
  package init(
    _ form: RecordForm,
    _ file: InputFile,
    _ beginning: [UInt8],
    isAtEnd: Bool,
    name: String,
    _ book: any RecordBook
  ) {
    (self.form, self.file, buffer, self.name, self.book) = (form, file, beginning, name, book)
    (self.isAtEnd, rows, value) = (
      isAtEnd, RecordRows(form), RecordValue(isFiltered: book.filter != nil)
    )
  }

  /// Where in the file, as it lies on the disk, the records so far come from.
  package var position: UInt64 { file.position(unused: buffer.count) }

  /// Counts the next records, waiting for them.
  ///
  /// - Parameter interrupt: What ends waiting early.
  /// - Returns: Whether these were the last ones, and what is wrong with any.
  /// - Throws: `CancellationError` when the wait was ended.
  package func read(
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> (isLast: Bool, failure: InputError?) {
    if flaws.isEmpty, !isDone {
      let bytes = buffer
      let end = count(bytes.span)
      buffer.removeFirst(end)
      if !isDone, !isAtEnd { try fill(interrupt) }
    }
    let flaw = flaws.isEmpty ? nil : flaws.removeFirst()
    return (isDone && flaws.isEmpty, flaw)
  }

  private func fill(_ interrupt: WakePipe) throws(CancellationError) {
    let fill = file.read(
      into: &buffer,
      atMost: max(Self.sliceSize, buffer.count),
      until: nil,
      interruptedBy: interrupt
    )
    switch fill {
    case .more, .silence: break
    case .end: isAtEnd = true
    case .interrupted: throw CancellationError()
    case .failure(let failure):
      // The last row may be cut anywhere.
      (isDone, isAtEnd) = (true, true)
      flaws.append(failure)
    }
  }

  /// Counts whole rows, and says behind which byte they end.
  private func count(_ bytes: Span<UInt8>) -> Int {
    var start = 0
    while true {
      switch rows.next(in: bytes, from: start, isLast: isAtEnd) {
      case .more: return start
      case .row(let lead, let end):
        if let flaw = value.read(rows, form, in: bytes) {
          tell("line \(line + bytes.countNewlines(start..<lead)) is left out: \(flaw)")
        } else {
          value.count(in: book)
        }
        line += bytes.countNewlines(start..<end)
        start = end
      case .end:
        isDone = true
        return bytes.count
      case .broken(let place, let flaw):
        let line = line + bytes.countNewlines(start..<place)
        flaws.append(
          InputError(name: name, reason: "line \(line): \(flaw); what follows is left out")
        )
        isDone = true
        return bytes.count
      }
    }
  }

  /// Tells of the first row that is no record.
  private func tell(_ reason: String) {
    guard !hasFlaw else { return }
    hasFlaw = true
    flaws.append(InputError(name: name, reason: reason))
  }
}
