import SondeRecords

/// Separates the rows of records in any format.
package struct RecordRows {
  /// The next row.
  package enum Next {
    /// A row with its start and end.
    case row(lead: Int, end: Int)
    case more
    case end
    /// Rows can no longer be separated.
    case broken(Int, String)
  }

  /// The longest row kept in memory.
  private static let longestRow = 16 << 20

  package private(set) var delimited: DelimitedRow?
  package private(set) var json = JSONRow()

  private let form: RecordForm
  private var isAtStart = true

  package init(_ form: RecordForm) {
    self.form = form
    let format: Format = form.kind == .tsv ? .tsv : .csv
    delimited = format.delimiter.map { DelimitedRow($0) }
  }

  /// Reads the row after `start`, the end of the last one.
  package mutating func next(in bytes: Span<UInt8>, from start: Int, isLast: Bool) -> Next {
    let head = isAtStart ? form.start : start
    let next =
      switch form.kind {
      case .csv, .tsv: nextLine(bytes, bytes.behindBlankLines(from: head), isLast)
      case .ndjson: nextObject(bytes, bytes.behindJSONSpace(from: head), isLast)
      case .json: nextElement(bytes, bytes.behindJSONSpace(from: head), isLast)
      }
    switch next {
    case .row: isAtStart = false
    case .more:
      if bytes.count - start > Self.longestRow {
        return .broken(start, "a record is longer than 16 MiB")
      }
      if isLast { return .end }
    case .end, .broken: break
    }
    return next
  }

  private mutating func nextLine(_ bytes: Span<UInt8>, _ start: Int, _ isLast: Bool) -> Next {
    guard start < bytes.count else { return isLast ? .end : .more }
    return switch delimited?.read(bytes, from: start, isLast: isLast) {
    case .more, nil: .more
    case .unclosed: .broken(start, "its quotes are not closed")
    case .whole: .row(lead: start, end: delimited?.end ?? start)
    }
  }

  private mutating func nextObject(_ bytes: Span<UInt8>, _ start: Int, _ isLast: Bool) -> Next {
    guard start < bytes.count else { return isLast ? .end : .more }
    let newline = bytes.firstNewline(from: start)
    guard newline != nil || isLast else { return .more }
    let end = newline ?? bytes.count
    let line = bytes.extracting(0..<end)
    let isWhole = json.read(line, from: start) == .whole
    let isAlone = isWhole && line.behindJSONSpace(from: json.end) == end
    if !isAlone { json = JSONRow() }
    return .row(lead: start, end: newline.map { $0 + 1 } ?? bytes.count)
  }

  private mutating func nextElement(_ bytes: Span<UInt8>, _ start: Int, _ isLast: Bool) -> Next {
    guard start < bytes.count else {
      return isLast ? .broken(bytes.count, "the array is cut short") : .more
    }
    var body = start
    if bytes[body] == UInt8(ascii: "]") {
      let behind = bytes.behindJSONSpace(from: body + 1)
      guard behind == bytes.count else { return .broken(behind, "something follows the array") }
      return isLast ? .end : .more
    }
    if !isAtStart {
      guard bytes[body] == UInt8(ascii: ",") else {
        return .broken(body, "a comma is missing between records")
      }
      body = bytes.behindJSONSpace(from: body + 1)
    }
    return switch json.read(bytes, from: body) {
    case .whole: .row(lead: body, end: json.end)
    case .more: isLast ? .broken(bytes.count, "the array is cut short") : .more
    case .malformed: .broken(body, "a record is no JSON object")
    }
  }
}
