import SondeRecords
package import SondeScanner

extension Plan {
  /// The counts, and a line for each provider as if it answered everything.
  ///
  /// - Parameters:
  ///   - estimates: What each provider of the list needs.
  ///   - isFiltered: Whether a condition leaves entries out.
  /// - Returns: Whole lines.
  package func text(_ estimates: [ProviderEstimate], isFiltered: Bool = false) -> String {
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
    return (lines + sourceLines).joined(separator: "\n") + "\n"
  }

  /// A line for each source that would be asked, and one for each registry of owners.
  private var sourceLines: [String] {
    var rows: [(name: String, count: Int, time: String)] = []
    if let names = sources.names {
      let pace = names.rate.map { "\($0) a second" }
      let time = names.duration.map { "at least \($0.forPerson)" } ?? "as fast as it is answered"
      rows.append(("names", names.addresses, time + (pace.map { " (\($0))" } ?? "")))
    }
    if let shares = sources.owner?.shares {
      let slowest = shares.first.map { $0.timeForPerson } ?? "none"
      rows.append(("owner", shares.reduce(0) { $0 + $1.requests }, slowest))
      for share in shares {
        guard let registry = share.registry else { continue }
        rows.append(("  \(registry)", share.requests, share.timeForPerson))
      }
    }
    guard !rows.isEmpty else { return [] }
    let head = left("source", 14) + right("to ask", 12) + "  time"
    return ["", head]
      + rows.map { left($0.name, 14) + right("\($0.count)", 12) + "  " + $0.time }
  }
}

extension OwnerPlan.Share {
  /// The least time that its requests take.
  fileprivate var timeForPerson: String {
    guard let duration else { return "not known: IANA's list of registries is not there yet" }
    return duration == .zero ? "at once" : "at least \(duration.forPerson)"
  }
}

private func left(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

private func right(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
