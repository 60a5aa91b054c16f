import Records

/// Puts answers into rows: what the answer says replaces what the row said, and what Sonde does not
/// know stays, like the entry's own address, line and input.
struct RowEncoder: Sendable {
  /// What belongs to the entry, whoever answers.
  static let kept = Set([Field.ip, .line, .input] + Field.traffic)

  private let layout: RecordLayout
  private let window: RowWindow
  /// Writes the values that are replaced.
  private let encoder: RecordEncoder
  /// The members of a JSON object that Sonde may write, in their order.
  private let members: [(field: Field, name: [UInt8])]

  /// Makes an encoder of rows.
  ///
  /// - Parameters:
  ///   - layout: The form of the rows.
  ///   - window: The rows.
  ///   - encoder: Gives the fields of JSON, and the manner of texts.
  init(_ layout: RecordLayout, _ window: RowWindow, encoder: RecordEncoder) {
    (self.layout, self.window) = (layout, window)
    // The next upgrade needs them.
    let needed = [Field.ip, .status, .source].filter { !encoder.fields.contains($0) }
    let fields = layout.fields ?? encoder.fields + needed
    self.encoder = encoder.with(
      format: layout.columns == nil ? .ndjson : layout.format,
      fields: fields.filter { !Self.kept.contains($0) }
    )
    members = fields.map { ($0, Array($0.name.utf8)) }
  }

  /// Whether no more rows are to be read.
  var isFull: Bool { window.isFull }

  /// Appends an answer in the row of its entry, or the row as it is where that says more.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - bytes: The bytes of its block.
  ///   - number: The number of the entry.
  ///   - chunk: Where to append.
  func append(_ answer: Record, bytes: Span<UInt8>, of number: UInt64, to chunk: inout Chunk) {
    let row = window[number]
    let isBetter = row.place.isAsked && row.isBettered(by: answer.status)
    if row.place.isAsked { chunk.upgrades += UpgradeTally(answer.status, isBetter: isBetter) }
    guard isBetter else { return append(row, to: &chunk) }
    chunk.tally.count(answer)
    append(answer, bytes: bytes, in: row, to: &chunk.output)
  }

  /// Appends the row of an entry that was to be asked about, as it is.
  func appendUnanswered(_ number: UInt64, to chunk: inout Chunk) {
    chunk.upgrades.upgradable += 1
    append(window[number], to: &chunk)
  }

  /// Takes note that the rows before an entry are written.
  func release(before number: UInt64) { window.release(before: number) }

  private func append(_ row: Row, to chunk: inout Chunk) {
    chunk.tally.count(row.record)
    // In a table, it stays where it is.
    if !layout.format.isDatabase { chunk.output += row.bytes }
  }

  /// Appends a row with an answer in it.
  private func append(_ answer: Record, bytes: Span<UInt8>, in row: Row, to output: inout [UInt8]) {
    let place = row.place
    let old = row.block.bytes
    var new: [UInt8] = []
    encoder.append(answer, bytes: bytes, to: &new)
    // In a table, the new values are followed by the number of the row.
    if layout.format.isDatabase { return output += new + row.bytes }
    output += old[place.lead]
    if let columns = layout.columns, let delimiter = layout.format.delimiter {
      appendValues(new, columns, delimiter, in: place.body, of: old, to: &output)
    } else {
      appendJSON(new, in: place.body, of: old, to: &output)
    }
    output += old[place.body.upperBound..<place.end]
  }

  private func appendValues(
    _ new: [UInt8],
    _ columns: RecordLayout.Columns,
    _ delimiter: Format.Delimiter,
    in body: Range<Int>,
    of old: [UInt8],
    to output: inout [UInt8]
  ) {
    var oldRow = DelimitedRow(delimiter)
    var newRow = DelimitedRow(delimiter)
    _ = oldRow.read(old.span.extracting(0..<body.upperBound), from: body.lowerBound, isLast: true)
    _ = newRow.read(new.span, from: 0, isLast: true)
    var next = newRow.fields.startIndex
    for (index, field) in columns.fields.enumerated() {
      if index > 0 { output.append(delimiter.byte) }
      if let field, !Self.kept.contains(field) {
        output += new[newRow.fields[next]]
        next += 1
      } else {
        output += old[oldRow.fields[index]]
      }
    }
  }

  private func appendJSON(
    _ new: [UInt8],
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
      if Self.kept.contains(field) {
        for member in oldRow.members where old.span.holds(name, at: member.name) {
          append(member, of: old)
        }
      } else {
        for member in newRow.members where new.span.holds(name, at: member.name) {
          append(member, of: new)
        }
      }
    }
    for member in oldRow.members where !isWritten(member, of: old) { append(member, of: old) }
    output.append(UInt8(ascii: "}"))
  }

  /// Whether a member of the old row has its place among the fields, or is gone with the old answer.
  private func isWritten(_ member: JSONRow.Member, of old: [UInt8]) -> Bool {
    if members.contains(where: { old.span.holds($0.name, at: member.name) }) { return true }
    let name = String(decoding: old[member.name], as: UTF8.self)
    return Field(name: name).map { !Self.kept.contains($0) } ?? false
  }
}
