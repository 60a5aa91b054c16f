import Records

/// The columns of a scan's table.
enum RecordColumns {
  /// Those that `scan` writes where none are picked, so that its files can be made of the table.
  static let all = Field.standard
}
