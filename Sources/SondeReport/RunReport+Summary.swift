import SondeAsking
import SondeOptions
import SondeOutputs
import SondeProviders
package import SondeRecords

extension RunReport {
  /// The summary, whose counts add up to the entries, and advice about missing answers.
  var closing: [String] {
    guard !outcome.isSatisfied, !outcome.isMisused else { return [] }
    guard !job.isLookup else { return exclusion.map { [$0] } ?? [] }
    return (isNothing ? [] : [summary]) + hints
  }

  /// Whether an error left nothing to report.
  private var isNothing: Bool {
    let isUnwritten = outcome.outputError != nil
    let isEmpty = outcome.tally.entries == 0 || job.writesAtEnd && isUnwritten
    return isEmpty && (isUnwritten || !outcome.inputErrors.isEmpty)
  }

  /// Why fewer addresses are shown than were given.
  private var exclusion: String? {
    let excluded = outcome.tally.excluded
    return excluded > 0 ? "\(count(excluded, "entry", "entries")) excluded by --where" : nil
  }

  private var summary: String {
    let tally = outcome.tally
    var line = outcome.isInterrupted ? "interrupted; " : ""
    if outcome.countedRecords > 0 {
      line += "\(count(outcome.countedRecords, "record", "records")) counted"
      guard tally.entries > 0 else {
        return line + " in \(Duration.milliseconds(counters.elapsed).forPerson)"
      }
      line += "; "
    }
    line += "\(count(tally.entries, "entry", "entries")): \(tally.ok) ok"
    let sources = Source.all.filter { tally[$0] > 0 }
    if !sources.isEmpty {
      let answers = sources.map { "\(tally[$0]) \($0.name)" }
      line += " (" + answers.joined(separator: ", ") + ")"
    }
    let others = [
      (tally.unknown, "unknown"), (tally.reserved, "reserved"), (tally.invalid, "invalid"),
      (tally.failed, "failed"), (tally.networkLost, "network_lost"),
      (tally.excluded, "excluded"),
      (outcome.unanswered, wordForUnanswered),
      (tally.duplicates, tally.duplicates == 1 ? "duplicate" : "duplicates"),
    ]
    for (number, name) in others where number > 0 { line += ", \(number) \(name)" }
    for (column, faults) in faults { line += "; \(words(for: faults, of: column))" }
    if let lines = outcome.lines { line += "; \(words(for: lines))" }
    if let upgrades = outcome.upgrades {
      let rows = count(upgrades.upgradable, "row", "rows")
      line += "; \(upgrades.upgraded) of \(rows) upgraded"
    }
    if tally.cached > 0 { line += "; \(tally.cached) cached" }
    if job.hasProviders {
      line += "; " + count(Int(clamping: counters.requests), "request", "requests")
    }
    if job.asksRegistries { line += ownerRequests }
    line += " in \(Duration.milliseconds(counters.elapsed).forPerson)"
    if counters.losses > 0 {
      let losses = count(Int(clamping: counters.losses), "loss", "losses")
      let offline = Duration.milliseconds(counters.offline).forPerson
      line += "; \(losses) of the network, \(offline) offline"
    }
    return line
  }

  /// Why addresses are unanswered: their lines did not wait, the run was interrupted, or no answer
  /// could change anything.
  private var wordForUnanswered: String {
    if outcome.lines.map({ $0.late > 0 }) ?? false { return "not answered in time" }
    return outcome.isInterrupted ? "not answered" : "not asked about"
  }

  /// As in `, 12 owner requests (1 throttled)`.
  private var ownerRequests: String {
    let requests = count(Int(clamping: counters.ownerRequests), "owner request", "owner requests")
    let throttled = counters.ownerThrottled
    return ", \(requests)" + (throttled > 0 ? " (\(throttled) throttled)" : "")
  }

  /// The missing answers of sources, by status column.
  private var faults: [(column: String, tally: FaultTally)] {
    zip(job.statusColumns, outcome.tally.faults).filter { $1 != FaultTally() }.map { ($0, $1) }
  }

  /// As in `ptr_status: 3 failed, 1 network_lost`.
  private func words(for faults: FaultTally, of column: String) -> String {
    let counts = [(faults.failed, "failed"), (faults.networkLost, "network_lost")]
    let words = counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
    return "\(column): \(words.joined(separator: ", "))"
  }

  /// As in `10 lines: 8 annotated, 2 unchanged`.
  private func words(for lines: LineTally) -> String {
    let late = lines.late > 0 ? ", \(lines.late) late" : ""
    let excluded = lines.excluded > 0 ? ", \(lines.excluded) excluded" : ""
    return count(lines.lines, "line", "lines") + ": \(lines.annotated) annotated, "
      + "\(lines.unchanged) unchanged\(late)\(excluded)"
  }

  private var hints: [String] {
    let others = [formHint, resumeHint, outcome.isInterrupted ? nil : upgradeHint]
    return linesHints + outcome.unfinished.compactMap(\.words) + others.compactMap(\.self)
  }

  /// Why lines were copied unchanged.
  private var linesHints: [String] {
    guard let lines = outcome.lines else { return [] }
    var hints: [String] = []
    if lines.ragged > 0 {
      let (rows, they) = (count(lines.ragged, "row", "rows"), lines.ragged == 1 ? "it" : "they")
      let have = lines.ragged == 1 ? "has" : "have"
      let were = lines.ragged == 1 ? "was excluded" : "were excluded"
      let fate = job.hasFilter ? were : "passed unchanged"
      hints.append("\(rows) \(fate): \(they) \(have) more or fewer cells than the header")
    }
    if lines.long > 0 {
      let they = lines.long == 1 ? "it is" : "they are"
      let long = count(lines.long, "line", "lines")
      hints.append(
        job.dropsLongLines
          ? "\(long) left out: \(they) longer than 16 MiB, and not searched for addresses"
          : "\(long) passed unchanged: \(they) longer than 16 MiB"
      )
    }
    if job.isOfJSON, lines.lines > 0, lines.lines == lines.unchanged, lines.long == 0 {
      hints.append(
        "no line has gained anything: --style json is for lines that are JSON objects with strings "
          + "that are as a whole an address"
      )
    }
    return hints
  }

  private var formHint: String? {
    let tally = outcome.tally
    guard tally.invalid > 1, tally.invalid == tally.settled, !job.isLog, outcome.upgrades == nil
    else { return nil }
    return "not one entry is an address; for a log or other free text, add --log"
  }

  private var resumeHint: String? {
    guard job.isResumable else { return nil }
    guard outcome.outputError == nil else {
      return "not everything could be written; when it can, give the same command with --resume"
    }
    if outcome.isInterrupted { return "to resume, give the same command with --resume" }
    guard !outcome.inputErrors.isEmpty else { return nil }
    return "not everything could be read; when it can, give the same command with --resume"
  }

  /// How to repeat the look-ups that the first provider did not answer.
  private var upgradeHint: String? {
    guard let preferred = job.preferred, job.isUpgradable, outcome.upgrades == nil else {
      return nil
    }
    let tally = outcome.tally
    let replaced =
      waits.wasHandedOver ? Provider.local.sources.reduce(0) { $0 + tally[$1.source] } : 0
    let rows = replaced + tally.failed + tally.networkLost
    guard rows > 0 else { return nil }
    let file = job.output.map(shellQuoted) ?? "FILE"
    let new = job.needsNewFile ? "NEW" : file
    return "'sonde upgrade \(file) -o \(new)' asks \(preferred) again for "
      + count(rows, "row", "rows")
  }

  package var event: JSONObject {
    var event = JSONObject(event: "summary")
    event.add(outcome.tally)
    if job.hasFilter { event.add("excluded", outcome.tally.excluded) }
    for (index, column) in job.statusColumns.enumerated() {
      let faults = outcome.tally.faults
      let tally = index < faults.count ? faults[index] : FaultTally()
      var object = JSONObject()
      object.add("failed", tally.failed)
      object.add("network_lost", tally.networkLost)
      // The answers of each source have the name `sources`.
      event.add(job.isComparison ? "faults" : column, object)
    }
    if let upgrades = outcome.upgrades {
      event.add("upgradable", upgrades.upgradable)
      event.add("upgraded", upgrades.upgraded)
    }
    if let lines = outcome.lines {
      event.add("lines", lines.lines)
      event.add("annotated", lines.annotated)
      event.add("unchanged", lines.unchanged)
      event.add("late", lines.late)
      if job.hasFilter { event.add("lines_excluded", lines.excluded) }
    }
    if outcome.lines != nil || outcome.unanswered > 0 {
      event.add("unanswered", outcome.unanswered)
    }
    if outcome.countedRecords > 0 { event.add("records", outcome.countedRecords) }
    event.add(counters, asksRegistries: job.asksRegistries)
    return event
  }
}

extension UnfinishedFile {
  /// That the old file is unchanged, and the path of the new one; `nil` if neither applies.
  fileprivate var words: String? {
    let old = isOld ? "\(name) stays as it was" : nil
    let new = draft.map { "what was done is in \($0)" }
    let words = [old, new].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }
}
