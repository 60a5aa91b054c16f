import SondeRecords

/// The columns of a scan's table.
enum RecordColumns {
  /// Those that `scan` writes where none are picked, so that its files can be made of the table.
  static let all = Field.standard

  /// Whether a table may have a column: one of all tables, or one that a source has added.
  static func mayHave(_ field: Field) -> Bool {
    if case .added(let column) = field { !column.name.isEmpty } else { all.contains(field) }
  }
}
