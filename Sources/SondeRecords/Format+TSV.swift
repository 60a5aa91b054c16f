extension Format {
  /// Tab-separated values with a header; every line has the same number of tabs, whatever the texts
  /// contain.
  public static let tsv = Format(
    "tsv",
    endings: [".tsv"],
    isReadAgain: true,
    delimiter: Delimiter(byte: UInt8(ascii: "\t"), isQuoted: false),
    header: { plan in
      Array((plan.fields.map(\.name).joined(separator: "\t") + "\n").utf8)
    },
    append: { $0.appendTSV($1, bytes: $2, $3, to: &$4) },
    // `\t`, and the `'` before a text of one byte.
    growth: 3
  )
}

extension EncodingPlan {
  /// Appends a record as a line of tab-separated values; missing ones are empty.
  fileprivate func appendTSV(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) {
    let ip = ShortText(of: record.address, scratch: &output)
    for column in columns {
      switch column.value {
      case .status, .moment, .coordinate, .count, .flag:
        output.append(plain: column.value, of: record)
      case .total(let value): output.append(value, of: totals(of: record))
      case .occurrence(let value): appendTSV(text(value, of: record).span, to: &output)
      case .text(let field): appendTSV(bytes.extracting(record[field].indices), to: &output)
      case .added(.list), .added(.numbers): appendTSV(added.joined(column.place).span, to: &output)
      case .added: appendTSV(added.bytes.span.extracting(added[column.place]), to: &output)
      case .input: appendTSV(inputName(of: record).span, to: &output)
      case .source: appendTSV(sourceName(of: record).span, to: &output)
      case .address where ip.isEmpty:
        appendTSV(bytes.extracting(record[.item].indices), to: &output)
      case .address:
        output.append(ip)
        if !record.zone.isEmpty {
          output.append(UInt8(ascii: "%"))
          output.append(tsvEscaping: bytes.extracting(record.zone.indices))
        }
      }
      output.append(UInt8(ascii: "\t"))
    }
    _ = output.removeLast()
    output.append(UInt8(ascii: "\n"))
  }

  /// Appends a text, protected against interpretation as a formula if requested.
  private func appendTSV(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    guard !text.isEmpty else { return }
    if isSpreadsheet, text[0].beginsFormula { output.append(UInt8(ascii: "'")) }
    output.append(tsvEscaping: text)
  }
}

extension OutputSpan<UInt8> {
  /// Appends a text with tabs and line ends escaped; each byte becomes at most two.
  @inline(__always)
  fileprivate mutating func append(tsvEscaping text: Span<UInt8>) {
    var index = append(from: text, at: 0) { $0.tsvSpecials }
    while index < text.count {
      append(UInt8(ascii: "\\"))
      append(text[index].tsvEscape)
      index = append(from: text, at: index &+ 1) { $0.tsvSpecials }
    }
  }
}

extension UInt8 {
  /// The character that follows the backslash in the escape of a byte.
  fileprivate var tsvEscape: UInt8 {
    switch self {
    case UInt8(ascii: "\t"): UInt8(ascii: "t")
    case UInt8(ascii: "\n"): UInt8(ascii: "n")
    case UInt8(ascii: "\r"): UInt8(ascii: "r")
    default: self
    }
  }
}

extension UInt64 {
  /// Marks the bytes that would end a value, and the escape character.
  @inline(__always)
  fileprivate var tsvSpecials: UInt64 {
    marks(of: UInt8(ascii: "\t")) | marks(of: UInt8(ascii: "\n")) | marks(of: UInt8(ascii: "\r"))
      | marks(of: UInt8(ascii: "\\"))
  }
}
