import SondeSystem

extension Format {
  /// Aligned columns, for people.
  public static let table = Format(
    "table",
    isForPerson: true,
    header: { $0.tableHeader() },
    append: { $0.appendTable($1, bytes: $2, $3, to: &$4) }
  )
}

extension EncodingPlan {
  fileprivate func tableHeader() -> [UInt8] {
    let names = fields.reduce(0) { $0 + $1.name.utf8.count }
    let layout = layout
    let capacity = layout.capacity + 6 * names + OutputSpan<UInt8>.slack
    return [UInt8](capacity: capacity) { output in
      var line = TableLine()
      for (index, field) in fields.enumerated() {
        line.appendCell(index, layout, isUncut: false, to: &output) { output, limit in
          output.append(forPerson: Array(field.name.utf8).span, limit: limit)
        }
      }
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends a record as a line; the reason of a failure replaces the empty columns.
  fileprivate func appendTable(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) {
    let ip = ShortText(of: record.address, scratch: &output)
    let layout = layout
    var line = TableLine()
    for index in columns.indices {
      let isAddress = columns[index].value == .address && record.address != nil
      line.appendCell(index, layout, isUncut: isAddress, to: &output) { output, limit in
        appendCell(columns[index], limit, of: record, ip: ip, bytes: bytes, added, to: &output)
      }
    }
    let message = record[.message]
    if record.status != .ok, !message.isEmpty, !showsMessage {
      line.appendCell(line.next, layout, isUncut: false, isLast: true, to: &output) {
        $0.append(forPerson: bytes.extracting(message.indices), limit: $1)
      }
    }
    output.append(UInt8(ascii: "\n"))
  }

  private var showsMessage: Bool { fields.contains(.message) }

  /// Appends a value of at most `limit` columns and returns its width.
  func appendCell(
    _ column: Column,
    _ limit: Int,
    of record: Record,
    ip: ShortText,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) -> Int {
    switch column.value {
    case .total(let value):
      return output.appendASCII(limit: limit) { $0.append(value, of: totals(of: record)) }
    case .occurrence(let value):
      return output.append(forPerson: text(value, of: record).span, limit: limit)
    case .text(let field):
      return output.append(forPerson: bytes.extracting(record[field].indices), limit: limit)
    case .added(.list), .added(.numbers):
      return output.append(forPerson: added.joined(column.place).span, limit: limit)
    case .added:
      let text = added.bytes.span.extracting(added[column.place])
      return output.append(forPerson: text, limit: limit)
    case .input:
      return output.append(forPerson: inputName(of: record).span, limit: limit)
    case .source:
      return output.append(forPerson: sourceName(of: record).span, limit: limit)
    case .address where ip.isEmpty:
      return output.append(forPerson: bytes.extracting(record[.item].indices), limit: limit)
    case .address:
      output.append(ip)
      guard !record.zone.isEmpty else { return ip.count }
      output.append(UInt8(ascii: "%"))
      let zone = bytes.extracting(record.zone.indices)
      return ip.count + 1 + output.append(forPerson: zone, limit: .max)
    case .status where usesColor:
      output.append(record.status.color)
      let width = output.appendASCII(limit: limit) { $0.append(record.status) }
      output.append(Status.colorEnd)
      return width
    case .status, .moment, .coordinate, .count, .flag:
      return output.appendASCII(limit: limit) { $0.append(plain: column.value, of: record) }
    }
  }
}

/// A line of a table that is being written.
private struct TableLine {
  /// The number of terminal columns written.
  private var position = 0

  /// The column after the last that has a value.
  private(set) var next = 0

  /// Whether the last value is too long for its column, so that the others follow on the next line.
  private var isFull = false

  /// Appends a cell at its column, or later if the preceding one is too long.
  ///
  /// An uncut value is written in full. The last one may use the rest of the line. `write` appends
  /// the value, cut to a number of columns, and returns its width.
  @inline(__always)
  mutating func appendCell(
    _ index: Int,
    _ layout: TableLayout,
    isUncut: Bool,
    isLast: Bool = false,
    to output: inout OutputSpan<UInt8>,
    _ write: (inout OutputSpan<UInt8>, _ limit: Int) -> Int
  ) {
    let breaks = isFull
    let end = breaks ? 0 : position
    let start = max(layout.starts[index], end > 0 ? end + TableLayout.gap : 0)
    let room = layout.room(from: start)
    guard room > 0 || isUncut else { return }
    let before = output.count
    if breaks { output.append(UInt8(ascii: "\n")) }
    output.append(repeating: UInt8(ascii: " "), count: start - end)
    let blanks = output.count - before
    let isBounded = !isLast && layout.width != nil && index + 1 < layout.widths.count
    let limit = isUncut ? .max : isBounded ? min(room, layout.widths[index]) : room
    let width = write(&output, limit)
    if width == 0 {
      output.removeLast(blanks)
    } else {
      position = start + width
      next = index + 1
      isFull = isUncut && isBounded && width > layout.widths[index]
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends the ASCII text that `write` appends, cut with `…` to a number of columns.
  @inline(__always)
  fileprivate mutating func appendASCII(
    limit: Int,
    _ write: (inout OutputSpan<UInt8>) -> Void
  ) -> Int {
    let start = count
    write(&self)
    let width = count - start
    guard width > limit else { return width }
    removeLast(width - (limit - 1))
    for byte in "…".utf8 { append(byte) }
    return limit
  }
}

extension Status {
  /// The escape sequence that starts its colour (ECMA-48 §8.3.117, SGR).
  fileprivate var color: ShortText {
    switch self {
    case .ok: Self.green
    case .unknown: Self.yellow
    case .reserved: Self.cyan
    case .invalid, .failed: Self.red
    case .networkLost: Self.magenta
    }
  }

  fileprivate static let colorEnd = ShortText("\u{1b}[0m")

  private static let green = ShortText("\u{1b}[32m")
  private static let yellow = ShortText("\u{1b}[33m")
  private static let cyan = ShortText("\u{1b}[36m")
  private static let red = ShortText("\u{1b}[31m")
  private static let magenta = ShortText("\u{1b}[35m")
}
