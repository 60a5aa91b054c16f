import SondeInputs
public import SondeRecords

/// The form of a file of records, and where in a row stands what decides about it.
public struct RecordLayout: Sendable, Equatable {
  /// The columns that decide what becomes of a row.
  struct Columns: Sendable, Equatable {
    var ip: Int
    var status: Int
    var source: Int
    /// All of them, in their order; `nil` is one that Sonde does not know.
    var fields: [Field?]
  }

  /// The form.
  public let format: Format
  /// The columns, if it has any.
  let columns: Columns?
  /// What comes before the first row and what stands around it: a byte-order mark, a header, `[`.
  let head: Int
  /// What sources are to fill.
  var filling = RowFilling()

  /// The columns that Sonde knows, and those that it adds; `nil` for JSON, which leaves out what has no
  /// value.
  public var fields: [Field]? {
    columns.map { $0.fields.compactMap(\.self) + missing.map(Field.added) }
  }

  /// The columns that sources fill and that are not there yet; none of JSON.
  var missing: [AddedColumn] {
    guard let columns else { return [] }
    return filling.columns.filter { !columns.fields.contains(.added($0)) }
  }
}

extension RecordLayout {
  /// A header, or a first record, is looked for no further than this.
  static let longestHead = 1 << 20

  private static let neither = """
    neither CSV nor TSV with a header, nor NDJSON, nor a JSON array of records as scan writes them
    """

  /// Tells the form by the bytes that a file begins with.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the file.
  ///   - isLast: Whether it is all there is.
  ///   - name: The file's name.
  ///   - filling: What sources are to fill.
  /// - Returns: The layout; `nil` while the bytes are too few.
  /// - Throws: ``InputError`` when it is no file of records.
  static func recognize(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    name: String,
    filling: RowFilling = RowFilling()
  ) throws(InputError) -> RecordLayout? {
    var layout = try recognize(bytes, isLast: isLast, name, filling)
    layout?.filling = filling
    return layout
  }

  private static func recognize(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    _ name: String,
    _ filling: RowFilling
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
        if line.begins(with: Array(Self.collection.utf8), at: start) {
          throw InputError(name: name, reason: "is GeoJSON, which upgrade does not read")
        }
        throw InputError(
          name: name,
          reason: "its first line is no whole record: NDJSON has one on each (as from jq -c)"
        )
      }
      return RecordLayout(format: .ndjson, columns: nil, head: start)
    default:
      return try lines(bytes, from: start, isLast: isLast, isAll: isAll, name, filling.columns)
    }
  }

  /// How a collection of features begins, on a line of its own.
  private static let collection = #"{"type":"FeatureCollection""#

  /// Tells the form of lines of values by what stands between the names of their header.
  private static func lines(
    _ bytes: Span<UInt8>,
    from start: Int,
    isLast: Bool,
    isAll: Bool,
    _ name: String,
    _ added: [AddedColumn]
  ) throws(InputError) -> RecordLayout? {
    var failure = InputError(name: name, reason: neither)
    for format in Format.all {
      guard let delimiter = format.delimiter else { continue }
      var header = DelimitedRow(delimiter)
      switch header.read(bytes, from: start, isLast: isLast) {
      case .more where !isAll: return nil
      case .more, .unclosed: continue
      case .whole: break
      }
      let names = header.fields.indices.map { index in
        let content = header.content(index, in: bytes)
        let name = bytes.extracting(content).repaired(maximum: content.count)
        // Two quotes are one that belongs to the name.
        let isQuoted = content.count < header.fields[index].count
        return isQuoted ? name.replacing("\"\"", with: "\"") : name
      }
      do throws(InputError) {
        guard let columns = try Columns(named: names, of: name, adding: added) else { continue }
        return RecordLayout(format: format, columns: columns, head: header.end)
      } catch {
        failure = error
      }
    }
    throw failure
  }
}

extension RecordLayout.Columns {
  /// Finds the columns that decide among the names of all; `nil` where none of them is there.
  ///
  /// - Parameters:
  ///   - names: The names in their order.
  ///   - file: The file's name.
  ///   - added: The columns that sources add.
  /// - Throws: ``InputError`` where it has some of them only, or one twice.
  init?(
    named names: [String],
    of file: String,
    adding added: [AddedColumn]
  ) throws(InputError) {
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
  /// Whether a text stands at an index.
  fileprivate func begins(with text: [UInt8], at index: Int) -> Bool {
    index + text.count <= count && holds(text, at: index..<index + text.count)
  }
}
