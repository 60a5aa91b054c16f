extension Format {
  /// Comma-separated values (RFC 4180) with a header, lines ending in `\n`.
  public static let csv = Format(
    "csv",
    endings: [".csv"],
    isReadAgain: true,
    delimiter: Delimiter(byte: UInt8(ascii: ","), isQuoted: true),
    header: { plan in
      Array((plan.fields.map(\.csvName).joined(separator: ",") + "\n").utf8)
    },
    append: { $0.appendCSV($1, bytes: $2, $3, to: &$4) }
  )
}

extension EncodingPlan {
  fileprivate func appendCSV(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) {
    let ip = ShortText(of: record.address, scratch: &output)
    let start = output.count
    for column in columns {
      switch column.value {
      case .status, .moment, .coordinate, .count, .flag:
        output.append(plain: column.value, of: record)
      case .total(let value): output.append(value, of: totals(of: record))
      case .occurrence(let value): appendCSV(text(value, of: record).span, to: &output)
      case .text(let field): appendCSV(bytes.extracting(record[field].indices), to: &output)
      case .added(.list), .added(.numbers): appendCSV(added.joined(column.place).span, to: &output)
      case .added: appendCSV(added.bytes.span.extracting(added[column.place]), to: &output)
      case .input: appendCSV(inputName(of: record).span, to: &output)
      case .source: appendCSV(sourceName(of: record).span, to: &output)
      case .address where ip.isEmpty:
        appendCSV(bytes.extracting(record[.item].indices), to: &output)
      case .address: output.append(ip, zone: bytes.extracting(record.zone.indices))
      }
      output.append(UInt8(ascii: ","))
    }
    if output.count > start { _ = output.removeLast() }
    // CSV readers skip an empty line, so a quoted empty value is written.
    if output.count == start { for byte in "\"\"".utf8 { output.append(byte) } }
    output.append(UInt8(ascii: "\n"))
  }

  /// Appends a text, quoted if necessary.
  private func appendCSV(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    guard !text.isEmpty else { return }
    let start = output.count
    let isFormula = isSpreadsheet && text[0].beginsFormula
    if isFormula { output.append(UInt8(ascii: "'")) }
    let index = output.append(from: text, at: 0) { $0.csvSpecials }
    guard index < text.count else { return }
    output.removeLast(output.count - start)
    output.append(UInt8(ascii: "\""))
    if isFormula { output.append(UInt8(ascii: "'")) }
    output.append(doublingQuotesOf: text)
    output.append(UInt8(ascii: "\""))
  }
}

extension OutputSpan<UInt8> {
  /// Appends an address with its zone, quoted if necessary, since a zone can be any text.
  @inline(__always)
  fileprivate mutating func append(_ ip: ShortText, zone: Span<UInt8>) {
    let start = count
    append(ip)
    guard !zone.isEmpty else { return }
    append(UInt8(ascii: "%"))
    guard append(from: zone, at: 0, until: { $0.csvSpecials }) < zone.count else { return }
    removeLast(count - start)
    append(UInt8(ascii: "\""))
    append(ip)
    append(UInt8(ascii: "%"))
    append(doublingQuotesOf: zone)
    append(UInt8(ascii: "\""))
  }

  fileprivate mutating func append(doublingQuotesOf text: Span<UInt8>) {
    var index = 0
    while true {
      index = append(from: text, at: index) { $0.marks(of: UInt8(ascii: "\"")) }
      guard index < text.count else { return }
      append(UInt8(ascii: "\""))
      append(UInt8(ascii: "\""))
      index += 1
    }
  }
}

extension UInt8 {
  /// Whether a spreadsheet interprets a text that begins with this byte as a formula, or skips the
  /// byte (OWASP, CSV Injection).
  public var beginsFormula: Bool {
    switch self {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): true
    case UInt8(ascii: "\t"), UInt8(ascii: "\r"): true
    default: false
    }
  }
}

extension Field {
  /// The name in a CSV header; that of an added column can be any text.
  fileprivate var csvName: String {
    guard name.contains(where: { "\",\r\n".contains($0) }) else { return name }
    return "\""
      + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
