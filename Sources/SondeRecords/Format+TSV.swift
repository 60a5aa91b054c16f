extension Format {
  /// Tab-separated values with a header: as many tabs in every line, whatever the texts hold.
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
  /// Appends a record as a line of tab-separated values, empty where they are missing.
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
      case .traffic(let value): output.append(value, of: traffic(of: record))
      case .text(let field): appendTSV(bytes.extracting(record[field].indices), to: &output)
      case .added(.list): appendTSV(added.joined(column.place).span, to: &output)
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

  /// Appends a text, as a spreadsheet takes it for none of its formulas where that is wanted.
  private func appendTSV(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    guard !text.isEmpty else { return }
    if isSpreadsheet, text[0].beginsFormula { output.append(UInt8(ascii: "'")) }
    output.append(tsvEscaping: text)
  }
}

extension OutputSpan<UInt8> {
  /// Appends a text without a tab or the end of a line in it, at most two bytes for one.
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
  /// What stands behind the backslash for a byte that is written with one.
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
  /// Marks the bytes that would end a value, and the one that escapes them.
  @inline(__always)
  fileprivate var tsvSpecials: UInt64 {
    marks(of: UInt8(ascii: "\t")) | marks(of: UInt8(ascii: "\n")) | marks(of: UInt8(ascii: "\r"))
      | marks(of: UInt8(ascii: "\\"))
  }
}
