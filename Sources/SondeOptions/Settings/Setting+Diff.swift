import SondeSummary

extension Setting {
  /// What `diff` compares and shows.
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
