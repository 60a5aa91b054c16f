import Addresses
import Records

/// The form of records as `scan` writes them, told by how they begin.
struct RecordForm: Sendable {
  /// What the beginning of an input tells.
  enum Judgement {
    case records(RecordForm)
    /// It holds something else.
    case none
    /// More of it is needed.
    case undecided
  }

  /// How rows are written.
  enum Kind: Sendable { case csv, tsv, ndjson, json }

  let kind: Kind
  /// The columns of CSV and TSV.
  let columns: [Field]
  /// Where the first row begins.
  let start: Int

  /// A header, or a first record, is looked for no further than this.
  private static let longestHead = 1 << 20

  /// Tells records from logs: every column, or every member of the first object, is a field of
  /// records, and `ip` is among them, and not alone.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the input.
  ///   - isLast: Whether it is all there is.
  /// - Returns: What they tell.
  static func recognize(_ bytes: Span<UInt8>, isLast: Bool) -> Judgement {
    let isAll = isLast || bytes.count > longestHead
    var start = bytes.startsWithByteOrderMark ? 3 : 0
    start = bytes.behindJSONSpace(from: start)
    guard start < bytes.count else { return isAll ? .none : .undecided }
    switch bytes[start] {
    case UInt8(ascii: "{"):
      return object(bytes, start, isAll).map { $0 ? .records(.init(.ndjson, start)) : .none }
        ?? .undecided
    case UInt8(ascii: "["):
      let first = bytes.behindJSONSpace(from: start + 1)
      guard first < bytes.count else { return isAll ? .none : .undecided }
      if bytes[first] == UInt8(ascii: "]") {
        let isEmpty = bytes.behindJSONSpace(from: first + 1) == bytes.count
        return isEmpty ? (isAll ? .records(.init(.json, start + 1)) : .undecided) : .none
      }
      guard bytes[first] == UInt8(ascii: "{") else { return .none }
      return object(bytes, first, isAll).map { $0 ? .records(.init(.json, start + 1)) : .none }
        ?? .undecided
    default: return header(bytes, start, isLast: isLast, isAll: isAll)
    }
  }

  private init(_ kind: Kind, _ start: Int, columns: [Field] = []) {
    (self.kind, self.start, self.columns) = (kind, start, columns)
  }

  /// Whether an object is a record; `nil` where it goes on behind the bytes.
  private static func object(_ bytes: Span<UInt8>, _ start: Int, _ isAll: Bool) -> Bool? {
    var row = JSONRow()
    switch row.read(bytes, from: start) {
    case .more: return isAll ? false : nil
    case .malformed: return false
    case .whole:
      let fields = row.members.map { bytes.field($0.name) }
      return isOfRecords(fields)
    }
  }

  private static func header(
    _ bytes: Span<UInt8>,
    _ start: Int,
    isLast: Bool,
    isAll: Bool
  ) -> Judgement {
    // What is no name of a field is told without waiting for the line's end.
    var end = start
    while end < bytes.count, bytes[end].isOfHeader { end += 1 }
    guard end < bytes.count || isAll else { return .undecided }
    guard end == bytes.count || bytes[end] == 0x0a || bytes[end] == 0x0d else { return .none }
    let line = start..<end
    let isTabbed = line.contains { bytes[$0] == UInt8(ascii: "\t") }
    let names = bytes.parts(of: line, at: UInt8(ascii: isTabbed ? "\t" : ","))
    let fields = names.map { bytes.field($0) }
    guard isOfRecords(fields) else { return .none }
    let first = end < bytes.count && bytes[end] == 0x0d ? end + 1 : end
    let behind = first < bytes.count && bytes[first] == 0x0a ? first + 1 : first
    return .records(
      RecordForm(isTabbed ? .tsv : .csv, behind, columns: fields.compactMap(\.self))
    )
  }

  private static func isOfRecords(_ fields: [Field?]) -> Bool {
    let known = Set(fields.compactMap(\.self))
    return known.count == fields.count && known.count > 1 && known.contains(.ip)
  }
}

extension UInt8 {
  /// Whether it may stand in a header of records.
  fileprivate var isOfHeader: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: ","),
      UInt8(ascii: "\t"):
      true
    default: false
    }
  }
}

extension Span<UInt8> {
  /// The field that a name is of; `nil` for any other name.
  func field(_ name: Range<Int>) -> Field? {
    // None is longer.
    guard name.count < 64 else { return nil }
    return Field(name: String(decoding: name.map { self[$0] }, as: UTF8.self))
  }

  /// The parts of a range between separators.
  func parts(of range: Range<Int>, at separator: UInt8) -> [Range<Int>] {
    var (parts, start): ([Range<Int>], Int) = ([], range.lowerBound)
    for index in range where self[index] == separator {
      parts.append(start..<index)
      start = index + 1
    }
    return parts + [start..<range.upperBound]
  }
}
