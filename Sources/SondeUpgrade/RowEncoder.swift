import SondeInputs
import SondeOutputs
import SondeRecords
import SondeScanner

/// Merges answers into rows: an answer replaces the earlier values, except for columns unknown to
/// Sonde and the entry's address, line and input.
struct RowEncoder: RecordConsumer {
  /// The columns that belong to the entry, not to the answer.
  static let kept = Set([.ip] + Field.places + Field.occurrence + Field.totals)

  private let layout: RecordLayout
  private let window: RowWindow
  private let encoder: RecordEncoder
  /// The members of a JSON object that Sonde may write, in order.
  private let members: [(field: Field, name: [UInt8])]
  /// The columns added to every row.
  private let missing: [Field]

  /// Creates an encoder; `encoder` defines the fields of JSON and the encoding of texts.
  init(_ layout: RecordLayout, _ window: RowWindow, encoder: RecordEncoder) {
    (self.layout, self.window) = (layout, window)
    missing = layout.missing.map(Field.added)
    // The next upgrade needs them.
    let needed = [Field.ip, .status, .source].filter { !encoder.fields.contains($0) }
    let fields = layout.fields ?? encoder.fields + needed
    self.encoder = encoder.with(
      format: layout.columns == nil ? .ndjson : layout.format,
      fields: fields.filter { !Self.kept.contains($0) }
    )
    members = fields.map { ($0, Array($0.name.utf8)) }
  }

  let holdsRows = true
  var addsColumns: Bool { !missing.isEmpty }
  var isFull: Bool { window.isFull }

  /// Appends the row of an entry with an answer merged into it.
  ///
  /// A row with more information than the answer is unchanged.
  func append(_ answer: Record, bytes: Span<UInt8>, of number: UInt64, to chunk: inout Chunk) {
    let row = window[number]
    let isBetter = row.place.isAsked && row.isBettered(by: answer.status)
    var isFilled = false
    if isBetter {
      chunk.tally.count(answer)
      append(answer, bytes: bytes, in: row, number, .all, to: &chunk.output)
    } else if row.place.isFilled {
      isFilled = fill(row, with: answer, bytes: bytes, number, to: &chunk)
    } else {
      append(row, number, faults: answer.faults, to: &chunk)
    }
    if row.place.isAsked {
      chunk.upgrades += UpgradeTally(answer.status, isBetter: isBetter || isFilled)
    } else {
      chunk.upgrades += UpgradeTally(isFilled: isFilled, isOpen: !answer.faults.isEmpty)
    }
  }

  /// Appends the unchanged row of an entry that was to be asked about.
  func appendUnanswered(_ number: UInt64, to chunk: inout Chunk) {
    chunk.upgrades.upgradable += 1
    append(window[number], number, to: &chunk)
  }

  func release(before number: UInt64) { window.release(before: number) }

  private func append(
    _ row: Row,
    _ number: UInt64,
    faults: SourceFaults = SourceFaults(),
    to chunk: inout Chunk
  ) {
    var record = row.record
    record.faults = faults
    chunk.tally.count(record)
    // In a table, it need not be written.
    guard !layout.format.isDatabase else { return }
    guard let delimiter = layout.format.delimiter, !missing.isEmpty else {
      return chunk.output += row.bytes
    }
    let (place, bytes) = (row.place, row.block.bytes)
    appendLead(of: row, number, to: &chunk.output)
    chunk.output += bytes[place.body]
    // A row with another number of cells than the header gains none.
    var cells = DelimitedRow(delimiter)
    cells.read(bytes.span.extracting(0..<place.body.upperBound), from: place.body.lowerBound)
    if cells.fields.count == layout.columns?.fields.count {
      chunk.output += missing.map { _ in delimiter.byte }
    }
    chunk.output += bytes[place.body.upperBound..<place.end]
  }

  /// Appends a row with the results of sources merged into it; returns whether it gained data.
  private func fill(
    _ row: Row,
    with answer: Record,
    bytes: Span<UInt8>,
    _ number: UInt64,
    to chunk: inout Chunk
  ) -> Bool {
    var record = row.record
    record.faults = answer.faults
    chunk.tally.count(record)
    let start = chunk.output.count
    append(answer, bytes: bytes, in: row, number, .added, to: &chunk.output)
    return answer.faults.isEmpty && chunk.output[start...] != row.bytes
  }

  private enum Replacement {
    case all
    /// Only added columns.
    case added
  }

  private func append(
    _ answer: Record,
    bytes: Span<UInt8>,
    in row: Row,
    _ number: UInt64,
    _ replacement: Replacement,
    to output: inout [UInt8]
  ) {
    let place = row.place
    let old = row.block.bytes
    var new: [UInt8] = []
    encoder.append(answer, bytes: bytes, to: &new)
    // If a source fails now, its earlier values are kept.
    let failing = replacement == .all ? layout.filling.failing(answer.faults) : .max
    let spared = failing & place.answered
    let replaced = { [filling = layout.filling] (field: Field) in
      field.isAdded ? filling.bit(of: field) & spared == 0 : replacement == .all
    }
    // In a table, the number is followed by a mask of changed columns and their new values.
    if layout.format.isDatabase {
      let bits = encoder.fields.filter(replaced).reduce(0) { $0 | layout.filling.bit(of: $1) }
      TableRow.append(.integer(Int64(bits)), to: &output)
      return output += new + row.bytes
    }
    appendLead(of: row, number, to: &output)
    if let columns = layout.columns, let delimiter = layout.format.delimiter {
      appendValues(new, columns, delimiter, replaced, in: place.body, of: old, to: &output)
    } else {
      appendJSON(new, replaced, in: place.body, of: old, to: &output)
    }
    output += old[place.body.upperBound..<place.end]
  }

  /// Appends the text before a row; a header gets the missing columns.
  private func appendLead(of row: Row, _ number: UInt64, to output: inout [UInt8]) {
    let (lead, bytes) = (row.place.lead, row.block.bytes)
    guard number == 0, !missing.isEmpty, let delimiter = layout.format.delimiter else {
      return output += bytes[lead]
    }
    var end = layout.head
    while end > 0, bytes[end - 1] == 0x0a || bytes[end - 1] == 0x0d { end -= 1 }
    output += bytes[..<end]
    // As in a header of these columns only.
    let names = encoder.with(format: layout.format, fields: missing).header().dropLast()
    output.append(delimiter.byte)
    output += names
    output += bytes[end..<lead.upperBound]
  }

  private func appendValues(
    _ new: [UInt8],
    _ columns: RecordLayout.Columns,
    _ delimiter: Format.Delimiter,
    _ isReplaced: (Field) -> Bool,
    in body: Range<Int>,
    of old: [UInt8],
    to output: inout [UInt8]
  ) {
    var oldRow = DelimitedRow(delimiter)
    var newRow = DelimitedRow(delimiter)
    oldRow.read(old.span.extracting(0..<body.upperBound), from: body.lowerBound)
    newRow.read(new.span, from: 0)
    var next = newRow.fields.startIndex
    for (index, field) in columns.fields.enumerated() {
      if index > 0 { output.append(delimiter.byte) }
      let isNew = field.map { !Self.kept.contains($0) } ?? false
      if let field, isNew, isReplaced(field) {
        output += new[newRow.fields[next]]
      } else {
        output += old[oldRow.fields[index]]
      }
      if isNew { next += 1 }
    }
    for index in missing.indices {
      output.append(delimiter.byte)
      output += new[newRow.fields[next + index]]
    }
  }

  private func appendJSON(
    _ new: [UInt8],
    _ isReplaced: (Field) -> Bool,
    in body: Range<Int>,
    of old: [UInt8],
    to output: inout [UInt8]
  ) {
    var oldRow = JSONRow()
    var newRow = JSONRow()
    _ = oldRow.read(old.span, from: body.lowerBound)
    _ = newRow.read(new.span, from: 0)
    output.append(UInt8(ascii: "{"))
    let start = output.count
    func append(_ member: JSONRow.Member, of bytes: [UInt8]) {
      if output.count > start { output.append(UInt8(ascii: ",")) }
      output += bytes[member.all]
    }
    for (field, name) in members {
      if Self.kept.contains(field) || !isReplaced(field) {
        for member in oldRow.members where old.span.holds(name, at: member.name) {
          append(member, of: old)
        }
      } else {
        for member in newRow.members where new.span.holds(name, at: member.name) {
          append(member, of: new)
        }
      }
    }
    for member in oldRow.members where !isWritten(member, of: old, isReplaced) {
      append(member, of: old)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Whether a member of the old row is rewritten as a field, or removed with the old answer.
  private func isWritten(
    _ member: JSONRow.Member,
    of old: [UInt8],
    _ isReplaced: (Field) -> Bool
  ) -> Bool {
    if members.contains(where: { old.span.holds($0.name, at: member.name) }) { return true }
    let name = String(decoding: old[member.name], as: UTF8.self)
    return Field(name: name).map { !Self.kept.contains($0) && isReplaced($0) } ?? false
  }
}
