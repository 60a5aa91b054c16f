import SondeAddresses
import SondeSystem

extension Format {
  /// One JSON object per line.
  public static let ndjson = Format(
    "ndjson",
    endings: [".ndjson", ".jsonl"],
    isReadAgain: true,
    append: { plan, record, bytes, added, output in
      plan.appendJSON(record, bytes: bytes, added, to: &output)
      output.append(UInt8(ascii: "\n"))
    }
  )

  /// One JSON array, with one object per line.
  public static let json = Format(
    "json",
    endings: [".json"],
    isReadAgain: true,
    header: { _ in [UInt8(ascii: "[")] },
    append: { plan, record, bytes, added, output in
      output.append(UInt8(ascii: "\n"))
      plan.appendJSON(record, bytes: bytes, added, to: &output)
    },
    separator: [UInt8(ascii: ",")],
    footer: { isEmpty in Array((isEmpty ? "]\n" : "\n]\n").utf8) }
  )
}

extension EncodingPlan {
  /// Appends a record as a JSON object (RFC 8259) without missing values.
  func appendJSON(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) {
    output.append(UInt8(ascii: "{"))
    let start = output.count
    for index in columns.indices {
      let column = columns[index]
      let key = column.key
      switch column.value {
      case .status: output.appendMember(key, end: 0x2c22, ofBytes: 2) { $0.append(record.status) }
      case .moment:
        guard let seconds = record.fetchedAt else { continue }
        output.appendMember(key, end: 0x2c22, ofBytes: 2) { $0.append(seconds: seconds) }
      case .coordinate(let coordinate):
        let degrees = record[coordinate]
        guard degrees.isFinite else { continue }
        output.appendMember(key, end: 0x2c, ofBytes: 1) { $0.append(shortest: degrees) }
      case .count(let count):
        guard let number = record[count] else { continue }
        output.appendMember(key, end: 0x2c, ofBytes: 1) { $0.append(decimal: number) }
      case .flag(let flag):
        guard let isSet = record[flag] else { continue }
        output.appendMember(key, end: 0x2c, ofBytes: 1) { $0.append(isSet) }
      case .total(let value):
        guard let totals = totals(of: record), totals.has(value) else { continue }
        let isNumber = column.value.type == .integer
        output.appendMember(key, end: isNumber ? 0x2c : 0x2c22, ofBytes: isNumber ? 1 : 2) {
          $0.append(value, of: totals)
        }
      case .occurrence(.hourOfDay):
        let hour = text(.hourOfDay, of: record)
        guard !hour.isEmpty else { continue }
        output.appendMember(key, end: 0x2c, ofBytes: 1) { $0.append(copying: hour.span) }
      case .occurrence(let value): output.appendMember(key, text(value, of: record).span)
      case .text(let field):
        output.appendMember(key, bytes.extracting(record[field].indices))
      case .added(let form):
        let value = added.bytes.span.extracting(added[column.place])
        guard !value.isEmpty else { continue }
        let addedKey = addedKeys[index]
        output.append(copying: addedKey.span)
        output.appendJSON(value, form)
      case .input: output.appendMember(key, inputName(of: record).span)
      case .source: output.appendMember(key, sourceName(of: record).span)
      case .address:
        guard let address = record.address else {
          output.appendMember(key, bytes.extracting(record[.item].indices))
          continue
        }
        output.append(key)
        address.append(to: &output)
        if !record.zone.isEmpty {
          output.append(UInt8(ascii: "%"))
          output.append(jsonEscaping: bytes.extracting(record.zone.indices))
        }
        output.append(word: 0x2c22, count: 2)
      }
    }
    // Every member ends in a comma.
    if output.count > start { _ = output.removeLast() }
    output.append(UInt8(ascii: "}"))
  }
}

extension OutputSpan<UInt8> {
  /// Appends the value of an added column after its key, and a comma.
  fileprivate mutating func appendJSON(_ value: Span<UInt8>, _ form: AddedColumn.Form) {
    switch form {
    case .text, .status:
      append(jsonEscaping: value)
      append(word: 0x2c22, count: 2)
    case .number where !value.isJSONNumber:
      append(UInt8(ascii: "\""))
      append(jsonEscaping: value)
      append(word: 0x2c22, count: 2)
    case .flag, .number:
      append(copying: value)
      append(UInt8(ascii: ","))
    case .numbers:
      for index in value.indices {
        append(value[index] == AddedValues.separator ? UInt8(ascii: ",") : value[index])
      }
      append(word: 0x2c5d, count: 2)
    case .list:
      var start = 0
      for index in value.indices where value[index] == AddedValues.separator {
        append(jsonEscaping: value.extracting(start..<index))
        for byte in #"",""#.utf8 { append(byte) }
        start = index + 1
      }
      append(jsonEscaping: value.extracting(start...))
      append(word: 0x2c_5d22, count: 3)
    }
  }

  @inline(__always)
  fileprivate mutating func appendMember(
    _ key: ShortText,
    end: UInt64,
    ofBytes size: Int,
    _ write: (inout OutputSpan<UInt8>) -> Void
  ) {
    append(key)
    write(&self)
    append(word: end, count: size)
  }

  /// Appends a member with a text and a comma; nothing if the text is missing.
  @inline(__always)
  fileprivate mutating func appendMember(_ key: ShortText, _ text: Span<UInt8>) {
    guard !text.isEmpty else { return }
    append(key)
    append(jsonEscaping: text)
    append(word: 0x2c22, count: 2)
  }
}

extension Span<UInt8> {
  /// Whether it is a number in JSON (RFC 8259 §6).
  package var isJSONNumber: Bool {
    var position = has(0x2d, 0x2d, at: 0) ? 1 : 0
    let start = position
    guard skipDigits(&position) else { return false }
    if self[start] == 0x30, position > start + 1 { return false }
    if has(0x2e, 0x2e, at: position) {
      position += 1
      guard skipDigits(&position) else { return false }
    }
    if has(0x45, 0x65, at: position) {
      position += 1
      if has(0x2b, 0x2d, at: position) { position += 1 }
      guard skipDigits(&position) else { return false }
    }
    return position == count
  }

  /// Whether one of two bytes is at a position.
  @inline(__always)
  private func has(_ byte: UInt8, _ other: UInt8, at position: Int) -> Bool {
    position < count && (self[position] == byte || self[position] == other)
  }

  /// Moves behind decimal digits, of which there must be one.
  @inline(__always)
  private func skipDigits(_ position: inout Int) -> Bool {
    let start = position
    while position < count, self[position] &- 0x30 < 10 { position += 1 }
    return position > start
  }
}
