import SondeRecords

extension RecordForm {
  /// Recognises the form of records with any columns, of which one must be `ip`.
  ///
  /// An empty input has the form of JSON lines. JSON has no names of its own, so that they are empty.
  ///
  /// - Returns: `nil` if more bytes are needed.
  /// - Throws: ``InputError`` if these are not records.
  package static func ofAnyColumns(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    name: String
  ) throws(InputError) -> (form: RecordForm, names: [String])? {
    let start = bytes.behindJSONSpace(from: bytes.startsWithByteOrderMark ? 3 : 0)
    let isAll = isLast || bytes.count > longestHead
    guard start < bytes.count else { return isAll ? (RecordForm(.ndjson, start), []) : nil }
    switch bytes[start] {
    case UInt8(ascii: "["): return (RecordForm(.json, start + 1), [])
    case UInt8(ascii: "{"):
      guard bytes.firstNewline(from: start) != nil || isAll else { return nil }
      guard !bytes.holdsFeatures(from: start) else {
        throw InputError(name: name, reason: "is GeoJSON, which is not read")
      }
      return (RecordForm(.ndjson, start), [])
    default: return try header(bytes, from: start, isLast: isLast, isAll: isAll, name)
    }
  }

  private static func header(
    _ bytes: Span<UInt8>,
    from start: Int,
    isLast: Bool,
    isAll: Bool,
    _ name: String
  ) throws(InputError) -> (form: RecordForm, names: [String])? {
    guard let headers = headers(bytes, from: start, isLast: isLast, isAll: isAll) else {
      return nil
    }
    guard let header = headers.first(where: { $0.names.contains(Field.ip.name) }) else {
      throw InputError(
        name: name,
        reason: "neither CSV nor TSV with a column ip, nor JSON or SQLite with records"
      )
    }
    let names = header.names
    if Set(names).count < names.count,
      let repeated = names.sorted().first(where: { one in names.count { $0 == one } > 1 })
    {
      throw InputError(name: name, reason: "the column \(repeated) stands there twice")
    }
    return header
  }

  /// Reads the first line as the header of CSV and of TSV, as far as it can be one.
  ///
  /// - Returns: `nil` if more bytes are needed.
  package static func headers(
    _ bytes: Span<UInt8>,
    from start: Int,
    isLast: Bool,
    isAll: Bool
  ) -> [(form: RecordForm, names: [String])]? {
    var headers: [(form: RecordForm, names: [String])] = []
    for (kind, format) in [(Kind.csv, Format.csv), (.tsv, .tsv)] {
      guard let delimiter = format.delimiter else { continue }
      var row = DelimitedRow(delimiter)
      switch row.read(bytes, from: start, isLast: isLast) {
      case .more where !isAll: return nil
      case .more, .unclosed: continue
      case .whole: break
      }
      let names = row.fields.indices.map { index in
        var text = bytes.copy(of: row.content(index, in: bytes))
        if kind == .csv { text.unquote() } else { text.unescape() }
        return text.span.repaired(maximum: text.count)
      }
      headers.append((RecordForm(kind, row.end), names))
    }
    return headers
  }
}
