extension EncodingPlan {
  /// Appends a record as a JSON object (RFC 8259) and a line feed, leaving out what is missing.
  func appendJSON(
    _ record: Record,
    ip: ShortText,
    bytes: Span<UInt8>,
    to output: inout OutputSpan<UInt8>
  ) {
    output.append(UInt8(ascii: "{"))
    let start = output.count
    for column in columns {
      switch column.content {
      case .word:
        output.appendMember(column.key, isText: true) { $0.append(column.field, of: record) }
      case .literal:
        output.appendMember(column.key, isText: false) { $0.append(column.field, of: record) }
      case .text(let field):
        output.appendMember(column.key, bytes.extracting(record[field].indices))
      case .input: output.appendMember(column.key, inputName(of: record).span)
      case .address where ip.isEmpty:
        output.appendMember(column.key, bytes.extracting(record[.item].indices))
      case .address:
        output.appendMember(column.key, isText: true) { output in
          output.append(ip)
          guard !record.zone.isEmpty else { return }
          output.append(UInt8(ascii: "%"))
          output.append(jsonEscaping: bytes.extracting(record.zone.indices))
        }
      }
    }
    // Every member ends in a comma.
    if output.count > start { _ = output.removeLast() }
    output.append(UInt8(ascii: "}"))
    output.append(UInt8(ascii: "\n"))
  }
}

extension OutputSpan<UInt8> {
  /// Appends a member with a text and a comma; nothing without a text.
  @inline(__always)
  fileprivate mutating func appendMember(_ key: ShortText, _ text: Span<UInt8>) {
    guard !text.isEmpty else { return }
    append(key)
    append(jsonEscaping: text)
    append(word: 0x2c22, count: 2)
  }

  /// Appends a member with what `write` writes and a comma; nothing if it writes nothing.
  @inline(__always)
  fileprivate mutating func appendMember(
    _ key: ShortText,
    isText: Bool,
    _ write: (inout OutputSpan<UInt8>) -> Void
  ) {
    append(key)
    let start = count
    write(&self)
    guard count > start else { return removeLast(key.count) }
    if isText { append(UInt8(ascii: "\"")) }
    append(UInt8(ascii: ","))
  }
}
