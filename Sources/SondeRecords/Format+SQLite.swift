import SondeAddresses

extension Format {
  /// A table of an SQLite database, to which rows in the form of ``TableRow`` are appended.
  public static let sqlite = Format(
    "sqlite",
    endings: [".sqlite", ".db"],
    isReadAgain: true,
    isDatabase: true,
    append: { $0.appendRow($1, bytes: $2, $3, to: &$4) },
    growth: 1
  )
}

extension Field {
  /// The type of its column in a table (https://www.sqlite.org/datatype3.html, 3.1); a boolean is 0
  /// or 1, and `NUMERIC` makes numbers of texts that are some.
  public var columnType: String {
    switch row.value {
    case .coordinate: "REAL"
    case .count, .flag, .occurrence(.hourOfDay), .added(.flag): "INTEGER"
    case .total(.hits), .total(.packets), .total(.bytes): "INTEGER"
    case .added(.number): "NUMERIC"
    case .address, .input, .source, .status, .moment, .text, .occurrence, .total, .added: "TEXT"
    }
  }
}

extension EncodingPlan {
  fileprivate func appendRow(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) {
    for column in columns {
      switch column.value {
      case .status, .moment:
        output.appendText { $0.append(plain: column.value, of: record) }
      case .coordinate(let coordinate):
        let degrees = record[coordinate]
        output.append(degrees.isFinite ? .real(degrees) : .missing)
      case .count(let count):
        output.append(record[count].map { .integer(Int64(clamping: $0)) } ?? .missing)
      case .flag(let flag):
        output.append(record[flag].map { .integer($0 ? 1 : 0) } ?? .missing)
      case .occurrence(.hourOfDay):
        let hour = text(.hourOfDay, of: record)
        output.append(Int64(String(decoding: hour, as: UTF8.self)).map { .integer($0) } ?? .missing)
      case .occurrence(let value):
        output.appendText { $0.append(copying: text(value, of: record).span) }
      case .total(let value):
        let totals = totals(of: record)
        if let number = totals?.number(value) {
          output.append(.integer(Int64(clamping: number)))
        } else {
          output.appendText { $0.append(value, of: totals) }
        }
      case .text(let field):
        output.appendText { $0.append(copying: bytes.extracting(record[field].indices)) }
      case .added(.flag):
        let value = added.bytes.span.extracting(added[column.place])
        output.append(value.isEmpty ? .missing : .integer(value[0] == UInt8(ascii: "t") ? 1 : 0))
      case .added(.list), .added(.numbers):
        output.appendText { $0.append(copying: added.joined(column.place).span) }
      case .added:
        output.appendText { $0.append(copying: added.bytes.span.extracting(added[column.place])) }
      case .input: output.appendText { $0.append(copying: inputName(of: record).span) }
      case .source: output.appendText { $0.append(copying: sourceName(of: record).span) }
      case .address:
        output.appendText { output in
          guard let address = record.address else {
            return output.append(copying: bytes.extracting(record[.item].indices))
          }
          address.append(to: &output)
          guard !record.zone.isEmpty else { return }
          output.append(UInt8(ascii: "%"))
          output.append(copying: bytes.extracting(record.zone.indices))
        }
      }
    }
  }
}
