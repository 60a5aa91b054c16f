import Addresses

extension Format {
  /// A JSON object a line.
  public static let ndjson = Format(
    "ndjson",
    endings: [".ndjson", ".jsonl"],
    append: { plan, record, bytes, output in
      plan.appendJSON(record, bytes: bytes, to: &output)
      output.append(UInt8(ascii: "\n"))
    }
  )

  /// One JSON array, an object a line.
  public static let json = Format(
    "json",
    endings: [".json"],
    header: { _ in [UInt8(ascii: "[")] },
    append: { plan, record, bytes, output in
      output.append(UInt8(ascii: "\n"))
      plan.appendJSON(record, bytes: bytes, to: &output)
    },
    separator: [UInt8(ascii: ",")],
    footer: { isEmpty in Array((isEmpty ? "]\n" : "\n]\n").utf8) }
  )
}

extension EncodingPlan {
  /// Appends a record as a JSON object (RFC 8259), leaving out what is missing.
  fileprivate func appendJSON(
    _ record: Record,
    bytes: Span<UInt8>,
    to output: inout OutputSpan<UInt8>
  ) {
    output.append(UInt8(ascii: "{"))
    let start = output.count
    for index in columns.indices {
      let key = columns[index].key
      switch columns[index].kind {
      case .word:
        output.appendMember(key, end: 0x2c22, ofBytes: 2) { columns[index].append(record, &$0) }
      case .literal:
        output.appendMember(key, end: 0x2c, ofBytes: 1) { columns[index].append(record, &$0) }
      case .text(let field):
        output.appendMember(key, bytes.extracting(record[field].indices))
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
  /// Appends a member with a value and what stands behind it; nothing without a value.
  @inline(__always)
  fileprivate mutating func appendMember(
    _ key: ShortText,
    end: UInt64,
    ofBytes size: Int,
    _ write: (inout OutputSpan<UInt8>) -> Void
  ) {
    append(key)
    let start = count
    write(&self)
    if count > start { append(word: end, count: size) } else { removeLast(key.count) }
  }

  /// Appends a member with a text and a comma; nothing without a text.
  @inline(__always)
  fileprivate mutating func appendMember(_ key: ShortText, _ text: Span<UInt8>) {
    guard !text.isEmpty else { return }
    append(key)
    append(jsonEscaping: text)
    append(word: 0x2c22, count: 2)
  }
}
