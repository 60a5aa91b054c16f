import SondeAddresses
import SondeCatalog
import SondeRecords

/// The format of records written by `scan`, recognised by their beginning.
package struct RecordForm: Sendable {
  /// The result of examining the beginning of an input.
  package enum Judgement {
    case records(RecordForm)
    /// Records in an unsupported format with this name.
    case unread(String)
    /// Not records.
    case none
    /// More bytes are needed.
    case undecided
  }

  /// The encoding of rows.
  package enum Kind: Sendable { case csv, tsv, ndjson, json }

  package let kind: Kind
  /// The columns of CSV and TSV.
  let columns: [Field]
  /// The start of the first row.
  package let start: Int

  /// The limit for finding a header or a first record, in bytes.
  package static let longestHead = 1 << 20

  init(_ kind: Kind, _ start: Int, columns: [Field] = []) {
    (self.kind, self.start, self.columns) = (kind, start, columns)
  }

  /// Distinguishes records from logs by their columns, or the members of the first object, and if
  /// these are ambiguous, by the values of the first record.
  package static func recognize(_ bytes: Span<UInt8>, isLast: Bool) -> Judgement {
    let isAll = isLast || bytes.count > longestHead
    let start = bytes.behindJSONSpace(from: bytes.startsWithByteOrderMark ? 3 : 0)
    guard start < bytes.count else { return isAll ? .none : .undecided }
    let judgement =
      switch bytes[start] {
      case UInt8(ascii: "{"):
        bytes.holdsFeatures(from: start)
          ? .unread("GeoJSON") : RecordForm(.ndjson, start).judge(bytes, isLast)
      case UInt8(ascii: "["): RecordForm(.json, start + 1).judge(bytes, isLast)
      default: header(bytes, start, isLast)
      }
    if case .undecided = judgement, isAll { return .none }
    return judgement
  }

  private static func header(_ bytes: Span<UInt8>, _ start: Int, _ isLast: Bool) -> Judgement {
    // Text that is no field's name is rejected without waiting for the line's end.
    var end = start
    while end < bytes.count, bytes[end].isOfHeader { end += 1 }
    guard end < bytes.count || isLast else { return .undecided }
    let isWhole = end == bytes.count || bytes[end] == 0x0a || bytes[end] == 0x0d
    guard isWhole || bytes.mayGoOn(start..<end) else { return .none }
    for (kind, format) in [(Kind.tsv, Format.tsv), (.csv, .csv)] {
      guard let delimiter = format.delimiter else { continue }
      var row = DelimitedRow(delimiter)
      switch row.read(bytes, from: start, isLast: isLast) {
      case .more: return .undecided
      case .unclosed: continue
      case .whole: break
      }
      let fields = row.fields.indices.map { bytes.field(row.content($0, in: bytes)) }
      guard fields.count > 1, fields.origin != .foreign else { continue }
      return RecordForm(kind, row.end, columns: fields.compactMap(\.self)).judge(bytes, isLast)
    }
    return table(bytes, start..<(bytes.firstNewline(from: start) ?? bytes.count))
  }

  /// Recognises the table for people, whose columns are aligned.
  private static func table(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Judgement {
    let blank = UInt8(ascii: " ")
    let isAligned = line.dropLast().contains { bytes[$0] == blank && bytes[$0 + 1] == blank }
    let names = bytes.parts(of: line, at: blank).filter { !$0.isEmpty }
    let isOwn = names.map { bytes.field($0) }.origin != .foreign
    return isAligned && isOwn ? .unread("a table for a person") : .none
  }

  /// Decides by the first row whether these are records.
  private func judge(_ bytes: Span<UInt8>, _ isLast: Bool) -> Judgement {
    if columns.origin == .own { return .records(self) }
    var rows = RecordRows(self)
    switch rows.next(in: bytes, from: 0, isLast: isLast) {
    case .more: return .undecided
    case .end: return .records(self)
    case .broken: return .none
    case .row: break
    }
    let isObject = kind == .ndjson || kind == .json
    let origin =
      isObject ? rows.json.members.map { bytes.field($0.name) }.origin : columns.origin
    switch origin {
    case .own: return .records(self)
    case .foreign: return .none
    case .unclear:
      var value = RecordValue(keepsAll: false)
      return value.read(rows, self, in: bytes) == nil ? .records(self) : .none
    }
  }
}

/// Whether columns or members are Sonde's.
private enum Origin { case own, unclear, foreign }

extension [Field?] {
  /// Whether names are Sonde's: all must be names of fields, including `ip`, and one that other
  /// tables rarely have, or else the status, whose value decides.
  fileprivate var origin: Origin {
    let known = Set(compactMap(\.self))
    guard known.count == count, known.contains(.ip) else { return .foreign }
    let rare: Set<Field> = [.countryCode, .postalCode, .asName, .fetchedAt, .firstSeen, .lastSeen]
    if !known.isDisjoint(with: rare) { return .own }
    return known.contains(.status) ? .unclear : .foreign
  }
}

extension [Field] {
  fileprivate var origin: Origin { map(Optional.some).origin }
}

extension UInt8 {
  /// Whether it may occur in a header of records; the names of users' own columns are free.
  fileprivate var isOfHeader: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: ","),
      UInt8(ascii: "\t"), UInt8(ascii: " "),
      // In users' own columns.
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

extension Span<UInt8> {
  /// The field with a name, including possible added columns; `nil` for any other name.
  func field(_ name: Range<Int>) -> Field? {
    // Rarely longer, but users' own columns may be.
    guard name.count < 2_048 else { return nil }
    let name = String(decoding: name.map { self[$0] }, as: UTF8.self)
    if let field = Field(name: name) { return field }
    return AddedSource.mayBeAdded(name) ? .added(AddedColumn(name: name)) : nil
  }

  /// Whether only names of added columns may follow a range of a header.
  fileprivate func mayGoOn(_ range: Range<Int>) -> Bool {
    let marks = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: " ")]
    let starts = [marks.dropLast(), marks[...]].map { marks in
      (range.last { marks.contains(self[$0]) } ?? range.lowerBound - 1) + 1
    }
    if starts.contains(where: { beginsAsAdded($0..<range.upperBound) }) { return true }
    let quoted = range.upperBound + 1
    return starts[0] == range.upperBound && self[range.upperBound] == UInt8(ascii: "\"")
      && beginsAsAdded(quoted..<count)
  }

  /// Whether a possibly incomplete name starts like that of an added column.
  private func beginsAsAdded(_ range: Range<Int>) -> Bool {
    extracting(range).beginsAsOwnColumn
  }

  /// The parts of a range separated by a byte.
  func parts(of range: Range<Int>, at separator: UInt8) -> [Range<Int>] {
    var (parts, start): ([Range<Int>], Int) = ([], range.lowerBound)
    for index in range where self[index] == separator {
      parts.append(start..<index)
      start = index + 1
    }
    return parts + [start..<range.upperBound]
  }

  /// Whether a feature collection written by `scan` begins here: with each feature on its own line.
  func holdsFeatures(from start: Int) -> Bool {
    let text = Array(#"{"type":"FeatureCollection","features":["#.utf8)
    let end = start + text.count
    return end < count && holds(text, at: start..<end) && self[end] == 0x0a
  }
}
