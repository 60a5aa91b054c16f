import SondeInputs
import SondeRecords

/// Parses records of an earlier run into entries, one per row; those from a fallback, failed and
/// lost ones are requested again.
///
/// A row that cannot be parsed is an entry, too, without a request; if rows cannot be separated,
/// the rest is copied.
struct RecordParser: InputParser {
  /// The longest row that is kept in memory.
  static let longestRow = 16 << 20

  private(set) var isDone = false

  private let layout: RecordLayout
  private let name: String
  private let fallbacks: [Source]
  private let window: RowWindow
  private var values: DelimitedRow?
  private var json = JSONRow()
  private var isAtStart = true
  /// The line of the first unconsumed byte.
  private var line = 1
  private var hasFlaw = false
  /// Where rows can no longer be separated, and why.
  private var stop: (place: Int, reason: String)?

  init(_ layout: RecordLayout, name: String, fallbacks: [Source], window: RowWindow) {
    (self.layout, self.name) = (layout, name)
    values = layout.format.delimiter.map { DelimitedRow($0) }
    (self.fallbacks, self.window) = (fallbacks, window)
  }

  mutating func begin(input: UInt32) {}

  mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock) {}

  mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool { true }

  mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int {
    guard !isDone else { return 0 }
    var rows = RowBlock()
    var start = 0
    while rows.places.count < limit {
      guard let row = nextRow(bytes, from: start, isLast: isLast) else {
        if stop == nil, !isLast, bytes.count - start > Self.longestRow {
          stop = (start, "a record is longer than 16 MiB")
        }
        break
      }
      let lead = start..<row.body.lowerBound
      tellFlaw(of: row, behind: lead, bytes, in: &entries)
      rows.append(row.verdict, lead: lead, body: row.body, end: row.end)
      entries.append(row.verdict)
      line += bytes.countNewlines(start..<row.end)
      start = row.end
      isAtStart = false
    }
    tellStop(behind: start, bytes, in: &entries)
    isDone = isDone || stop != nil || isLast && start < bytes.count && rows.places.count < limit
    rows.bytes = unsafe bytes.extracting(0..<start).withUnsafeBufferPointer { unsafe Array($0) }
    window.append(rows)
    return start
  }

  // MARK: - Finding rows

  /// The position of a row, and its values.
  private struct Found {
    let body: Range<Int>
    let end: Int
    let verdict: RowVerdict
  }

  private mutating func nextRow(_ bytes: Span<UInt8>, from start: Int, isLast: Bool) -> Found? {
    let head = isAtStart ? layout.head : start
    if layout.format == .json { return nextElement(bytes, from: head, isLast) }
    if values != nil { return nextLine(bytes, from: head, isLast) }
    return nextObject(bytes, from: head, isLast)
  }

  private mutating func nextLine(_ bytes: Span<UInt8>, from head: Int, _ isLast: Bool) -> Found? {
    let body = bytes.behindBlankLines(from: head)
    guard body < bytes.count else { return nil }
    switch values?.read(bytes, from: body, isLast: isLast) {
    case .more, nil: return nil
    case .unclosed:
      let verdict = RowVerdict(flaw: "its quotes are not closed")
      return Found(body: body..<bytes.count, end: bytes.count, verdict: verdict)
    case .whole:
      guard let values else { return nil }
      let verdict = RowVerdict(of: values, layout, in: bytes, fallbacks)
      return Found(body: body..<values.bodyEnd, end: values.end, verdict: verdict)
    }
  }

  private mutating func nextObject(_ bytes: Span<UInt8>, from head: Int, _ isLast: Bool) -> Found? {
    let body = bytes.behindJSONSpace(from: head)
    let newline = bytes.firstNewline(from: body)
    guard body < bytes.count, newline != nil || isLast else { return nil }
    var end = newline ?? bytes.count
    while bytes[end - 1].isJSONSpace { end -= 1 }
    let isObject = json.read(bytes.extracting(0..<end), from: body) == .whole && json.end == end
    let verdict =
      isObject
      ? RowVerdict(of: json, layout, in: bytes, fallbacks)
      : RowVerdict(flaw: "it is no JSON object")
    let next = newline.map { $0 + 1 } ?? bytes.count
    return Found(body: body..<end, end: next, verdict: verdict)
  }

  private mutating func nextElement(_ bytes: Span<UInt8>, from head: Int, _ isLast: Bool) -> Found?
  {
    var body = bytes.behindJSONSpace(from: head)
    if body < bytes.count, bytes[body] == UInt8(ascii: "]") {
      let behind = bytes.behindJSONSpace(from: body + 1)
      if behind < bytes.count { stop = (behind, "something follows the array") }
      return nil
    }
    if body < bytes.count, !isAtStart {
      guard bytes[body] == UInt8(ascii: ",") else {
        stop = (body, "a comma is missing between records")
        return nil
      }
      body = bytes.behindJSONSpace(from: body + 1)
    }
    switch json.read(bytes, from: body) {
    case .whole:
      let verdict = RowVerdict(of: json, layout, in: bytes, fallbacks)
      return Found(body: body..<json.end, end: json.end, verdict: verdict)
    case .more:
      if isLast { stop = (bytes.count, "the array is cut short") }
    case .malformed: stop = (body, "a record is no JSON object")
    }
    return nil
  }

  // MARK: - Reporting rows

  /// Reports the first row that is not a record; the summary counts all of them.
  private mutating func tellFlaw(
    of row: Found,
    behind lead: Range<Int>,
    _ bytes: Span<UInt8>,
    in entries: inout EntryBlock
  ) {
    guard let flaw = row.verdict.flaw, !hasFlaw else { return }
    hasFlaw = true
    let line = line + bytes.countNewlines(lead)
    let reason = "line \(line) is copied as it is: \(flaw)"
    entries.faults.append(InputError(name: name, reason: reason))
  }

  private func tellStop(behind start: Int, _ bytes: Span<UInt8>, in entries: inout EntryBlock) {
    guard let stop else { return }
    let line = line + bytes.countNewlines(start..<stop.place)
    let reason = "line \(line): \(stop.reason); what follows is copied as it is"
    entries.faults.append(InputError(name: name, reason: reason))
  }
}
