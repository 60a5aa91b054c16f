import SondeRecords

/// The columns of a scan's table.
enum RecordColumns {
  /// The default columns of `scan`, so that its files can be created from the table.
  static let all = Field.standard

  /// Whether a table may have a column: a standard one, or one added by a source.
  static func mayHave(_ field: Field) -> Bool {
    if case .added(let column) = field { !column.name.isEmpty } else { all.contains(field) }
  }
}
