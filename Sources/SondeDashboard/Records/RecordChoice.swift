import SondeAsking
import SondeProviders
public import SondeRecords
import SondeSQLite

/// Which records are wanted: all, or those that meet each of these conditions.
public struct RecordChoice: Sendable, Hashable {
  /// A text that a value must contain, ignoring case; empty for any record.
  public var filter = ""

  /// A condition as in `--where`, which must hold; empty for any record.
  public var condition = ""

  /// The status; `nil` for any.
  public var status: Status?

  /// Chooses all records.
  public init() {}

  /// Whether matches are looked for one by one.
  var isSearch: Bool { !filter.isEmpty || !condition.isEmpty }
}

/// A choice of records of one table: the part that the database judges, and the rest.
struct RecordCondition: Sendable {
  /// All records.
  static let all = RecordCondition("1")

  let sql: String
  let values: [BoundValue]
  let filter: Filter?

  /// Takes a part that the database judges.
  init(_ sql: String) { (self.sql, values, filter) = (sql, [], nil) }

  /// Reads a choice of records with some fields, of which only those in `filled` have any value;
  /// `moment` reads times.
  ///
  /// - Throws: ``DashboardError`` for an invalid condition.
  init(
    _ choice: RecordChoice,
    in fields: [Field],
    filled: [Field],
    moment: @escaping (String) -> Int64?
  ) throws(DashboardError) {
    var parts = choice.status.map { ["status = '\($0.name)'"] } ?? []
    if !choice.filter.isEmpty { parts.append(Self.search(for: choice.filter, in: filled)) }
    sql = parts.isEmpty ? "1" : parts.joined(separator: " AND ")
    values = choice.filter.isEmpty ? [] : [.text(Self.folded(choice.filter))]
    guard !choice.condition.isEmpty else {
      filter = nil
      return
    }
    let added = fields.compactMap { if case .added(let column) = $0 { column } else { nil } }
    do throws(FilterError) {
      filter = try Filter(
        choice.condition,
        adding: [AwaitedColumns(columns: added)],
        answeredBy: Provider.sourceNames,
        moment: moment
      ) { _ throws(FilterFileError) in
        throw FilterFileError("files are not read here")
      }
    } catch {
      let column = error.place.lowerBound + 1
      throw DashboardError(.invalid, "“where”, column \(column): \(error.reason)")
    }
  }

  /// The condition that any column contains a text, which is bound as `?1` in lower case.
  private static func search(for text: String, in fields: [Field]) -> String {
    let folded = folded(text)
    let searched = fields.filter { mayContain(folded, $0) }.map { Database.quoted($0.name) }
    let calls = searched.groups(of: ScanTableReader.columnsAtOnce).map {
      "contains(?1, \($0.joined(separator: ", ")))"
    }
    return calls.isEmpty ? "0" : "(\(calls.joined(separator: " OR ")))"
  }

  /// A text as ``TextSearch`` compares it.
  private static func folded(_ text: String) -> String {
    String(decoding: text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether a value of a field may contain a text in lower case: fields that cannot need not be
  /// read.
  private static func mayContain(_ text: String, _ field: Field) -> Bool {
    switch field {
    case .status: Status.allCases.contains { $0.name.contains(text) }
    case .source: Source.all.contains { folded($0.name).contains(text) }
    case .asn: text.utf8.allSatisfy { (48...57).contains($0) }
    case .fetchedAt: text.utf8.allSatisfy("0123456789-:tz".utf8.contains)
    default: field.columnType == "TEXT"
    }
  }

  /// Whether a record that the database has found is wanted: as by `--where`, also one that lacks
  /// the answer on which that depends.
  func includes(_ record: Record, of block: RecordBlock) -> Bool {
    filter.map { !$0.excludes(record, bytes: block.bytes.span) } ?? true
  }

  /// The same, for rows up to one.
  func upTo(_ row: Int64?) -> RecordCondition {
    guard let row else { return self }
    return RecordCondition("\(sql) AND rowid <= \(row)", values, filter)
  }

  /// The same, for the rows behind one.
  func behind(_ row: Int64) -> RecordCondition {
    RecordCondition("rowid > \(row) AND \(sql)", values, filter)
  }

  /// The same, for some rows only; the choice must have no filter.
  func among(_ rows: some Sequence<UInt32>) -> RecordCondition {
    let list = "[\(rows.map(String.init).joined(separator: ","))]"
    let isOne = "rowid IN (SELECT value FROM json_each(?1))"
    return RecordCondition("\(sql) AND \(isOne)", [.text(list)], filter)
  }

  private init(_ sql: String, _ values: [BoundValue], _ filter: Filter?) {
    (self.sql, self.values, self.filter) = (sql, values, filter)
  }
}
