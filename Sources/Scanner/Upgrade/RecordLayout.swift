public import Records

/// The form of a file of records, and where in a row stands what decides about it.
public struct RecordLayout: Sendable, Equatable {
  /// The columns of CSV that decide what becomes of a row.
  struct Columns: Sendable, Equatable {
    var ip: Int
    var status: Int
    var source: Int
    /// All of them, in their order; `nil` is one that Sonde does not know.
    var fields: [Field?]
  }

  /// The form: `csv`, `ndjson` or `json`.
  public let format: Format
  /// The columns, if it is CSV.
  let columns: Columns?
  /// What comes before the first row and what stands around it: a byte-order mark, a header, `[`.
  let head: Int

  /// The columns of CSV that Sonde knows; `nil` for JSON, which leaves out what has no value.
  public var fields: [Field]? { columns?.fields.compactMap(\.self) }
}

extension RecordLayout {
  /// A header, or a first record, is looked for no further than this.
  static let longestHead = 1 << 20

  private static let neither = """
    neither CSV with a header, nor NDJSON, nor a JSON array of records as scan writes them
    """

  /// Tells the form by the bytes that a file begins with.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the file.
  ///   - isLast: Whether it is all there is.
  ///   - name: The file's name.
  /// - Returns: The layout; `nil` while the bytes are too few.
  /// - Throws: ``InputError`` when it is no file of records.
  static func recognize(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    name: String
  ) throws(InputError) -> RecordLayout? {
    var start = bytes.startsWithByteOrderMark ? 3 : 0
    while start < bytes.count, bytes[start].isJSONSpace { start += 1 }
    let isAll = isLast || bytes.count > longestHead
    guard start < bytes.count else {
      return isAll ? RecordLayout(format: .ndjson, columns: nil, head: start) : nil
    }
    switch bytes[start] {
    case UInt8(ascii: "["):
      return RecordLayout(format: .json, columns: nil, head: start + 1)
    case UInt8(ascii: "{"):
      let end = bytes.firstNewline(from: start)
      guard end != nil || isAll else { return nil }
      var row = JSONRow()
      let line = bytes.extracting(0..<(end ?? bytes.count))
      guard end == nil || row.read(line, from: start) == .whole else {
        throw InputError(
          name: name,
          reason: "its first line is no whole record: NDJSON has one on each (as from jq -c)"
        )
      }
      return RecordLayout(format: .ndjson, columns: nil, head: start)
    default:
      var row = CSVRow()
      switch row.read(bytes, from: start, isLast: isLast) {
      case .whole: return try csv(row, bytes, name)
      case .more where !isAll: return nil
      case .more, .unclosed: throw InputError(name: name, reason: neither)
      }
    }
  }

  private static func csv(
    _ header: CSVRow,
    _ bytes: Span<UInt8>,
    _ name: String
  ) throws(InputError) -> RecordLayout {
    let fields = header.fields.indices.map { index -> Field? in
      let content = header.content(index, in: bytes)
      return Field(name: bytes.extracting(content).repaired(maximum: content.count))
    }
    let needed: [Field] = [.ip, .status, .source]
    let missing = needed.filter { !fields.contains($0) }
    guard missing.count < 3 else { throw InputError(name: name, reason: neither) }
    if let repeated = Field.allCases.first(where: { field in fields.count { $0 == field } > 1 }) {
      throw InputError(name: name, reason: "the column \(repeated.name) stands there twice")
    }
    guard let ip = fields.firstIndex(of: .ip), let status = fields.firstIndex(of: .status),
      let source = fields.firstIndex(of: .source)
    else {
      let names = missing.map(\.name).joined(separator: " and ")
      throw InputError(
        name: name,
        reason: "has no column \(names): upgrade needs ip, status and source"
      )
    }
    let columns = Columns(ip: ip, status: status, source: source, fields: fields)
    return RecordLayout(format: .csv, columns: columns, head: header.end)
  }
}
