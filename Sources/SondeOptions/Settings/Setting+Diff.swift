import SondeSummary

extension Setting {
  /// What `compare` and `diff` take as true, compare and show.
  static let differences: [Setting] = [
    Setting(
      name: "fields",
      commands: [.diff],
      value: .one(.fieldNames, \.comparedFields).checkedLater,
      summary: "Compare these fields, in this order",
      details: """
        By default all that both files have, but cached, fetched_at, line, message, input and offset.
        """
    ),
    Setting(
      name: "summary",
      commands: [.diff],
      value: .flag(\.summary),
      summary: "Count the differences by kind, field and country",
      details: "Rows of table, key and addresses: change, field, and country (DE>FR)."
    ),
    Setting(
      name: "truth",
      commands: [.compare],
      value: .one(.truth, \.truth),
      summary: "Measure the sources by the true places in FILE",
      details: """
        A table of networks as for scan's --with, with country_code and perhaps latitude and longitude: \
        adds truth_country_code, and the distance of each source to the true place.
        """
    ),
    Setting(
      name: "summary",
      commands: [.compare],
      value: .flag(\.summary),
      summary: "Write tables of sources, countries and confidences instead of records",
      details: """
        Rows of table, key, addresses, agreement, median_km and, with --truth, right. The formats are \
        \(alternatives(SummaryFormat.allCases.map(\.rawValue))), by default table.
        """
    ),
    Setting(
      name: "format",
      commands: [.diff],
      value: .one(.summaryFormat, \.summaryFormat),
      summary: "Write \(alternatives(SummaryFormat.allCases.map(\.rawValue)))",
      details: """
        By default as the ending of the output file says, else table on a terminal and ndjson in \
        a pipe.
        """
    ),
  ]
}
