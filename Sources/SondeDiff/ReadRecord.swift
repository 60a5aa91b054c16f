import SondeInputs
import SondeRecords
import SondeSQLite

/// The values of a record that was read, packed.
struct ReadRecord {
  private(set) var ip: [UInt8] = []
  private(set) var cells: [UInt8] = []

  mutating func begin() {
    ip.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  /// Adds a value, unless it is empty.
  @inline(__always)
  mutating func add(_ value: Span<UInt8>, _ type: CellType, _ column: Int, isAddress: Bool) {
    guard value.count > 0 else { return }
    PackedRecord.append(value, type, column: column, to: &cells)
    if isAddress { ip.append(copying: value) }
  }

  /// Adds a value of a database.
  mutating func add(_ row: Statement, _ place: Int32, _ column: Int, isAddress: Bool) {
    switch row.type(place) {
    case .nothing: break
    case .real:
      var text: [UInt8] = []
      let number = row.real(place)
      if number.isFinite { appendShortest(number, to: &text) }
      add(text.span, .number, column, isAddress: isAddress)
    case .integer:
      row.withText(place) { add($0, .bit, column, isAddress: isAddress) }
    case .text, .bytes:
      row.withText(place) { add($0, .plain, column, isAddress: isAddress) }
    }
  }
}

/// Reads the values of separated rows.
struct TextRecordReader {
  private let kind: RecordForm.Kind
  /// The number of each column of CSV and TSV; `nil` for those that are not kept.
  private var columns: [Int?] = []
  private var address = 0
  /// The members of the last object, whose order rarely changes.
  private var members: [(name: [UInt8], column: Int?, isAddress: Bool)] = []
  private var text: [UInt8] = []
  /// The columns of the current object, to find repeated members.
  private var seen: Set<Int> = []

  init(_ kind: RecordForm.Kind, _ header: [String], _ names: inout FieldNames) {
    self.kind = kind
    var previous: Int?
    for (index, name) in header.enumerated() {
      let column = names.number(of: name, behind: previous)
      previous = column ?? previous
      columns.append(column)
      if name == Field.ip.name { address = index }
    }
  }

  /// Reads a row; returns why it is not a record, if so.
  mutating func read(
    _ rows: RecordRows,
    in bytes: Span<UInt8>,
    _ names: inout FieldNames,
    into record: inout ReadRecord
  ) -> String? {
    record.begin()
    switch kind {
    case .csv, .tsv: return readLine(rows, in: bytes, into: &record)
    case .ndjson, .json: return readObject(rows.json, in: bytes, &names, into: &record)
    }
  }

  private mutating func readLine(
    _ rows: RecordRows,
    in bytes: Span<UInt8>,
    into record: inout ReadRecord
  ) -> String? {
    guard let row = rows.delimited, row.fields.count == columns.count else {
      return "it has not as many fields as the header"
    }
    let escape = kind == .csv ? UInt8(ascii: "\"") : UInt8(ascii: "\\")
    for (index, column) in columns.enumerated() {
      guard let column else { continue }
      let value = bytes.extracting(row.content(index, in: bytes))
      let isAddress = index == address
      if value.firstIndex(of: escape, or: escape, from: 0) == value.count {
        record.add(value, .plain, column, isAddress: isAddress)
      } else {
        text.removeAll(keepingCapacity: true)
        text.append(copying: value)
        if kind == .csv { text.unquote() } else { text.unescape() }
        record.add(text.span, .plain, column, isAddress: isAddress)
      }
    }
    return nil
  }

  private mutating func readObject(
    _ row: JSONRow,
    in bytes: Span<UInt8>,
    _ names: inout FieldNames,
    into record: inout ReadRecord
  ) -> String? {
    guard !row.members.isEmpty else { return "it is no JSON object with members" }
    var previous: Int?
    seen.removeAll(keepingCapacity: true)
    for (index, member) in row.members.enumerated() {
      let known = place(of: member, at: index, in: bytes, &names, behind: previous)
      guard let column = known.column else { continue }
      guard seen.insert(column).inserted else { return "the member \(names.all[column]) is twice" }
      previous = column
      text.removeAll(keepingCapacity: true)
      guard let type = text.append(valueOfJSON: bytes, member.value) else { continue }
      record.add(text.span, type, column, isAddress: known.isAddress)
    }
    return nil
  }

  private mutating func place(
    of member: JSONRow.Member,
    at index: Int,
    in bytes: Span<UInt8>,
    _ names: inout FieldNames,
    behind previous: Int?
  ) -> (column: Int?, isAddress: Bool) {
    if index < members.count, bytes.holds(members[index].name, at: member.name) {
      return (members[index].column, members[index].isAddress)
    }
    var meaning: [UInt8] = []
    meaning.append(meaningOfJSON: bytes.extracting(member.name))
    let name = meaning.span.repaired(maximum: meaning.count)
    let column = names.number(of: name, behind: previous)
    let isAddress = name == Field.ip.name
    members.removeSubrange(min(index, members.count)...)
    if members.count == index {
      members.append((bytes.copy(of: member.name), column, isAddress))
    }
    return (column, isAddress)
  }
}

extension [UInt8] {
  /// Appends what a JSON value means as a value of a table; returns its type, `nil` for null.
  ///
  /// The texts of an array are joined by blanks, as in tables; other nested values stay JSON.
  fileprivate mutating func append(valueOfJSON bytes: Span<UInt8>, _ range: Range<Int>) -> CellType?
  {
    let value = bytes.extracting(range)
    switch value[0] {
    case UInt8(ascii: "\""):
      append(meaningOfJSON: value.extracting(1..<value.count - 1))
      return .text
    case UInt8(ascii: "n"): return nil
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      append(copying: value)
      return .boolean
    case UInt8(ascii: "["):
      if !append(textsOfJSON: value) { append(copying: value) }
      return .text
    case UInt8(ascii: "{"):
      append(copying: value)
      return .text
    default:
      append(copying: value)
      return .number
    }
  }

  /// Appends an array's scalars, joined by blanks; nothing, and `false`, if it has other elements.
  private mutating func append(textsOfJSON array: Span<UInt8>) -> Bool {
    guard let (elements, end) = JSONRow.array(of: array, from: 0) else { return false }
    guard elements.allSatisfy({ !"[{".utf8.contains(array[$0]) }) else { return false }
    for (index, start) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: " ")) }
      // Behind an element are white space, and a comma or the closing bracket.
      var last = (index + 1 < elements.count ? elements[index + 1] : end) - 1
      while array[last].isJSONSpace || ",]".utf8.contains(array[last]) { last -= 1 }
      let isText = array[start] == UInt8(ascii: "\"")
      if isText {
        append(meaningOfJSON: array.extracting(start + 1..<last))
      } else {
        append(copying: array.extracting(start..<last + 1))
      }
    }
    return true
  }
}
