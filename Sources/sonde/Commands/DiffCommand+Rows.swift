import SondeDiff
import SondeSummary

extension RecordChange {
  /// The columns of differences.
  static let columns = [
    RowEncoding.Column("change", width: 7), .init("ip", width: 15),
    .init("field", width: 12), .init("old", width: 24), .init("new", width: 24),
  ]

  /// The values of these columns.
  var row: [String] { [kind.rawValue, ip, field, old, new] }
}

extension DiffCounts {
  /// The columns of counts.
  static let columns = [
    RowEncoding.Column("table", width: 7), .init("key", width: 15),
    .init("addresses", width: 9, isNumber: true),
  ]

  /// The rows of these columns: all kinds, then fields and countries, the most frequent first.
  var rows: [[String]] {
    let kinds = RecordChange.Kind.allCases.map { ["change", $0.rawValue, String(self[$0])] }
    let fields = fields.enumerated().filter { $0.element.count > 0 }.sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }
    let countries = countries.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return kinds + fields.map { ["field", $0.element.name, String($0.element.count)] }
      + countries.map { ["country", $0.key, String($0.value)] }
  }
}
