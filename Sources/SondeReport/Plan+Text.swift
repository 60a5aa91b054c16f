import SondeRecords
package import SondeScanner
import SondeSources

extension Plan {
  /// The counts, and a line for each provider as if it answered everything.
  package func text(_ estimates: [ProviderEstimate], isFiltered: Bool = false) -> String {
    let first = toAsk.first ?? 0
    let distinct = tally.ok + tally.reserved + tally.excluded
    var rows = [
      ("entries", entries), ("distinct", distinct), ("duplicates", tally.duplicates),
      ("cached", tally.ok - first), ("reserved", tally.reserved), ("invalid", tally.invalid),
    ]
    if isFiltered { rows.append(("excluded", tally.excluded)) }
    rows.append(("to ask", first))
    var lines = rows.map { padded($0.0, 14) + right("\($0.1)", 12) }
    lines.append("")
    lines.append(padded("provider", 14) + right("requests", 12) + "  time under the quota")
    for (estimate, addresses) in zip(estimates, toAsk) {
      let requests = estimate.requests(for: addresses)
      lines.append(
        padded(estimate.name, 14) + right("\(requests)", 12) + "  " + estimate.time(for: requests)
      )
    }
    return (lines + sourceLines).joined(separator: "\n") + "\n"
  }

  /// A line for each source to ask, and for each service that it asks.
  private var sourceLines: [String] {
    let rows = sources.flatMap(\.lines)
    guard !rows.isEmpty else { return [] }
    let head = padded("source", 14) + right("to ask", 12) + "  time"
    let lines = rows.map { row in
      padded((row.isPart ? "  " : "") + row.name, 14) + right("\(row.questions)", 12) + "  "
        + row.time.forPerson
    }
    return ["", head] + lines
  }
}

extension SourcePlanLine.Time {
  fileprivate var forPerson: String {
    switch self {
    case .atLeast(let time, let pace?): "at least \(time.forPerson) (\(pace) a second)"
    case .atLeast(.zero, nil): "at once"
    case .atLeast(let time, nil): "at least \(time.forPerson)"
    case .unlimited: "as fast as it is answered"
    case .nothing: "none"
    case .unknown(let reason): "not known: \(reason)"
    }
  }
}

/// The text, with spaces behind it up to a width.
func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

private func right(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
