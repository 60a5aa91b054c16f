/// A form in which the tables of a summary are written.
public enum SummaryFormat: String, CaseIterable, Sendable {
  /// For a person.
  case table
  /// Comma-separated values (RFC 4180) with a header, all tables below one another.
  case csv
  /// The same with tabs; tab, newline, return and backslash are escaped.
  case tsv
  /// A JSON object a row.
  case ndjson
  /// One JSON object with a member for each table, an array of rows.
  case json
}

/// Which rows of a report are written, but into its page.
public struct SummarySelection: Sendable, Equatable {
  /// The tables; `nil` for all that have data.
  public var kinds: Set<SummaryTable.Kind>?
  /// The most rows of a table, but of a timeline; `nil` for all.
  public var top: Int? = 10

  /// Makes the usual selection.
  public init() {}
}

extension SummaryReport {
  /// The tables as a selection has them.
  func tables(_ selection: SummarySelection) -> [SummaryTable] {
    tables.filter { selection.kinds?.contains($0.kind) ?? true }.map { table in
      guard let top = selection.top, !table.kind.isTimeline else { return table }
      var table = table
      table.rows = Array(table.rows.prefix(top))
      return table
    }
  }
}
