import Records
import Scanner

extension Plan {
  /// The counts, and a line for each provider as if it answered everything.
  ///
  /// - Parameters:
  ///   - estimates: What each provider of the list needs.
  ///   - isFiltered: Whether a condition leaves entries out.
  /// - Returns: Whole lines.
  func text(_ estimates: [ProviderEstimate], isFiltered: Bool = false) -> String {
    let first = toAsk.first ?? 0
    let distinct = tally.ok + tally.reserved + tally.excluded
    var rows = [
      ("entries", entries), ("distinct", distinct), ("duplicates", tally.duplicates),
      ("cached", tally.ok - first), ("reserved", tally.reserved), ("invalid", tally.invalid),
    ]
    if isFiltered { rows.append(("excluded", tally.excluded)) }
    rows.append(("to ask", first))
    var lines = rows.map { left($0.0, 14) + right("\($0.1)", 12) }
    lines.append("")
    lines.append(left("provider", 14) + right("requests", 12) + "  time under the quota")
    for (estimate, addresses) in zip(estimates, toAsk) {
      let requests = estimate.requests(for: addresses)
      lines.append(
        left(estimate.name, 14) + right("\(requests)", 12) + "  " + estimate.time(for: requests)
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

private func left(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

private func right(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
