import Addresses

extension EncodingPlan {
  /// Appends a record as a JSON object (RFC 8259) and a line feed, leaving out what is missing.
  func appendJSON(
    _ record: Record,
    bytes: Span<UInt8>,
    to output: inout OutputSpan<UInt8>
  ) {
    output.append(UInt8(ascii: "{"))
    let start = output.count
    let presence = record.presence
    for column in columns where column.presence & presence != 0 {
      switch column.content {
      case .word:
        output.append(column.key)
        output.append(column.field, of: record)
        output.append(word: 0x2c22, count: 2)
      case .literal:
        output.append(column.key)
        output.append(column.field, of: record)
        output.append(UInt8(ascii: ","))
      case .text(let field):
        output.appendMember(column.key, bytes.extracting(record[field].indices))
      case .input: output.appendMember(column.key, inputName(of: record).span)
      case .address:
        guard let address = record.address else {
          output.appendMember(column.key, bytes.extracting(record[.item].indices))
          continue
        }
        output.append(column.key)
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
}
