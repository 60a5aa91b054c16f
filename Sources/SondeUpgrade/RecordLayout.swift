import SondeInputs
public import SondeRecords

/// The format of a file of records, and the columns on which a row's treatment depends.
public struct RecordLayout: Sendable, Equatable {
  /// The columns on which a row's treatment depends.
  struct Columns: Sendable, Equatable {
    var ip: Int
    var status: Int
    var source: Int
    /// All columns in order; `nil` for one unknown to Sonde.
    var fields: [Field?]
  }

  /// The format.
  public let format: Format
  /// `nil` for JSON.
  let columns: Columns?
  /// The length of what precedes the first row: a byte-order mark, a header, `[`.
  let head: Int
  var filling = RowFilling()

  /// The known columns and those that are added; `nil` for JSON, which omits missing values.
  public var fields: [Field]? {
    columns.map { $0.fields.compactMap(\.self) + missing.map(Field.added) }
  }

  /// The missing columns that sources fill; empty for JSON.
  var missing: [AddedColumn] {
    guard let columns else { return [] }
    return filling.columns.filter { !columns.fields.contains(.added($0)) }
  }
}

extension RecordLayout {
  private static let neither = """
    neither CSV nor TSV with a header, nor NDJSON, nor a JSON array of records as scan writes them
    """

  /// Recognises the format by the first bytes of a file; `nil` if there are too few.
  ///
  /// - Throws: ``InputError`` if it is not a file of records.
  static func recognize(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    name: String,
    filling: RowFilling = RowFilling()
  ) throws(InputError) -> RecordLayout? {
    let start = bytes.behindJSONSpace(from: bytes.startsWithByteOrderMark ? 3 : 0)
    let isAll = isLast || bytes.count > RecordForm.longestHead
    guard start < bytes.count else {
      guard isAll else { return nil }
      return RecordLayout(format: .ndjson, columns: nil, head: start, filling: filling)
    }
    switch bytes[start] {
    case UInt8(ascii: "["):
      return RecordLayout(format: .json, columns: nil, head: start + 1, filling: filling)
    case UInt8(ascii: "{"):
      let end = bytes.firstNewline(from: start)
      guard end != nil || isAll else { return nil }
      var row = JSONRow()
      let line = bytes.extracting(0..<(end ?? bytes.count))
      guard end == nil || row.read(line, from: start) == .whole else {
        if line.begins(with: Array(Self.collection.utf8), at: start) {
          throw InputError(name: name, reason: "is GeoJSON, which upgrade does not read")
        }
        throw InputError(
          name: name,
          reason: "its first line is no whole record: NDJSON has one on each (as from jq -c)"
        )
      }
      return RecordLayout(format: .ndjson, columns: nil, head: start, filling: filling)
    default:
      return try lines(bytes, from: start, isLast: isLast, isAll: isAll, name, filling)
    }
  }

  /// The beginning of a feature collection, on a separate line.
  private static let collection = #"{"type":"FeatureCollection""#

  /// Recognises the format of delimited lines by the separator in their header.
  private static func lines(
    _ bytes: Span<UInt8>,
    from start: Int,
    isLast: Bool,
    isAll: Bool,
    _ name: String,
    _ filling: RowFilling
  ) throws(InputError) -> RecordLayout? {
    guard let headers = RecordForm.headers(bytes, from: start, isLast: isLast, isAll: isAll) else {
      return nil
    }
    var failure = InputError(name: name, reason: neither)
    for (form, names) in headers {
      do throws(InputError) {
        guard let columns = try Columns(named: names, of: name, adding: filling.columns) else {
          continue
        }
        let format = form.kind == .csv ? Format.csv : .tsv
        return RecordLayout(format: format, columns: columns, head: form.start, filling: filling)
      } catch {
        failure = error
      }
    }
    throw failure
  }
}

extension RecordLayout.Columns {
  /// Finds the relevant columns among all names, in order; `nil` if there are none.
  ///
  /// - Throws: ``InputError`` if only some exist, or one is duplicated.
  init?(named names: [String], of file: String, adding added: [AddedColumn]) throws(InputError) {
    let fields = names.map { name in
      Field(name: name) ?? added.first { $0.name == name }.map(Field.added)
    }
    let needed: [Field] = [.ip, .status, .source]
    let missing = needed.filter { !fields.contains($0) }
    guard missing.count < 3 else { return nil }
    let known = Field.allCases + added.map(Field.added)
    if let repeated = known.first(where: { field in fields.count { $0 == field } > 1 }) {
      throw InputError(name: file, reason: "the column \(repeated.name) stands there twice")
    }
    guard let ip = fields.firstIndex(of: .ip), let status = fields.firstIndex(of: .status),
      let source = fields.firstIndex(of: .source)
    else {
      let names = missing.map(\.name).joined(separator: " and ")
      throw InputError(
        name: file,
        reason: "has no column \(names): upgrade needs ip, status and source"
      )
    }
    self.init(ip: ip, status: status, source: source, fields: fields)
  }
}

extension Span<UInt8> {
  fileprivate func begins(with text: [UInt8], at index: Int) -> Bool {
    index + text.count <= count && holds(text, at: index..<index + text.count)
  }
}
