/// An output format of a summary's tables.
public enum SummaryFormat: String, CaseIterable, Sendable {
  /// For people.
  case table
  /// Comma-separated values (RFC 4180) with a header, all tables in sequence.
  case csv
  /// Tab-separated values; tab, newline, return and backslash are escaped.
  case tsv
  /// One JSON object per row.
  case ndjson
  /// A JSON object with a member for each table, an array of rows.
  case json
}

/// The rows of a report to write, except in its page.
public struct SummarySelection: Sendable, Equatable {
  /// The tables; `nil` for all that have data.
  public var kinds: Set<SummaryTable.Kind>?
  /// The largest number of rows in a table other than a timeline; `nil` for all.
  public var top: Int? = 10

  /// Creates the default selection.
  public init() {}
}

extension SummaryReport {
  func tables(_ selection: SummarySelection) -> [SummaryTable] {
    tables.filter { selection.kinds?.contains($0.kind) ?? true }.map { table in
      guard let top = selection.top, !table.kind.isTimeline else { return table }
      var table = table
      table.rows = Array(table.rows.prefix(top))
      return table
    }
  }
}
