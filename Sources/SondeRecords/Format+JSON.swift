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
    var position = 0
    func digits() -> Int {
      let start = position
      while position < count, 0x30...0x39 ~= self[position] { position += 1 }
      return position - start
    }
    func takes(_ bytes: StaticString) -> Bool {
      guard position < count, bytes.description.utf8.contains(self[position]) else { return false }
      position += 1
      return true
    }
    _ = takes("-")
    let isZero = position < count && self[position] == 0x30
    let whole = digits()
    guard whole == 1 || whole > 1 && !isZero else { return false }
    if takes("."), digits() == 0 { return false }
    if takes("eE") {
      _ = takes("+-")
      if digits() == 0 { return false }
    }
    return position == count
  }
}
