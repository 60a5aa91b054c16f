import SondeRecords
package import SondeSystem

/// Counts records without asking any provider.
///
/// It may be used by one thread at a time.
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
  /// The line of the buffer's first byte.
  private var line = 1
  private var hasFlaw = false
  /// Unreported errors of records.
  private var flaws: [InputError] = []

  /// Creates a reader of records whose beginning was read; `isAtEnd` means that it is all.
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
      isAtEnd, RecordRows(form), RecordValue(keepsAll: book.needsAllFields)
    )
  }

  /// The position in the file on disk of the records so far.
  package var position: UInt64 { file.position(unused: buffer.count) }

  /// Waits for the next records and counts them; returns whether they were the last ones.
  ///
  /// Throws `CancellationError` if the wait was ended.
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
    let size = max(Self.sliceSize, buffer.count)
    switch file.read(into: &buffer, atMost: size, ByteWait(interrupt)) {
    case .more, .silence: break
    case .end: isAtEnd = true
    case .interrupted: throw CancellationError()
    case .failure(let failure):
      // The last row may be incomplete.
      (isDone, isAtEnd) = (true, true)
      flaws.append(failure)
    }
  }

  /// Counts complete rows, and returns the position after them.
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

  /// Reports the first row that is not a record.
  private func tell(_ reason: String) {
    guard !hasFlaw else { return }
    hasFlaw = true
    flaws.append(InputError(name: name, reason: reason))
  }
}
