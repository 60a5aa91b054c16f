import Records
import Scanner

/// How a run went: the summary line, the summary event and the exit status.
struct RunReport {
  let outcome: ScanOutcome
  /// What the run, and those that it goes on from, came to.
  let counters: RunCounters
  /// Whether an invalid entry alone is a reason for ``ExitStatus/failed``.
  var countsInvalid = false
  /// Whether the inputs were read as logs.
  var isLog = false
  /// Whether anybody could be asked.
  var hasProviders = false
  /// Whether a provider refused for good.
  var isRefused = false

  /// Whether the reader of stdout has seen enough, as `| head` has, and nothing more is to be said.
  var isSatisfied: Bool { outcome.outputFailure?.isClosedPipe ?? false }

  /// Says the summary, in one line whose counts add up to the entries.
  func say(on console: Console) {
    guard !isSatisfied else { return }
    let tally = outcome.tally
    var line = outcome.isInterrupted ? "interrupted; " : ""
    line += "\(count(tally.entries, "entry", "entries")): \(tally.ok) ok"
    let sources = Source.allCases.filter { tally[$0] > 0 }
    if !sources.isEmpty {
      line += " (" + sources.map { "\(tally[$0]) \($0.name)" }.joined(separator: ", ") + ")"
    }
    let others = [
      (tally.unknown, "unknown"), (tally.reserved, "reserved"), (tally.invalid, "invalid"),
      (tally.failed, "failed"), (tally.networkLost, "network_lost"),
      (tally.duplicates, "duplicates"),
    ]
    for (number, name) in others where number > 0 { line += ", \(number) \(name)" }
    if let upgrades = outcome.upgrades {
      line += "; \(upgrades.upgraded) of \(count(upgrades.upgradable, "row", "rows")) upgraded"
    }
    if tally.cached > 0 { line += "; \(tally.cached) cached" }
    if hasProviders { line += "; \(count(Int(counters.requests), "request", "requests"))" }
    line += " in \(Duration.milliseconds(counters.elapsed).forPerson)"
    if counters.losses > 0 {
      let losses = count(Int(counters.losses), "loss", "losses")
      let offline = Duration.milliseconds(counters.offline).forPerson
      line += "; \(losses) of the network, \(offline) offline"
    }
    console.note(line)
    if tally.invalid > 1, tally.invalid == tally.records, !isLog, outcome.upgrades == nil {
      console.note("not one entry is an address; for a log or other free text, add --log")
    }
  }

  /// The summary as an event.
  var event: JSONObject {
    let tally = outcome.tally
    var sources = JSONObject()
    for source in Source.allCases where tally[source] > 0 {
      sources.add(source.name, tally[source])
    }
    var event = JSONObject()
    event.add("event", "summary")
    event.add("at", Timestamp.now.withMilliseconds)
    event.add("entries", tally.entries)
    event.add("duplicates", tally.duplicates)
    event.add("ok", tally.ok)
    event.add("reserved", tally.reserved)
    event.add("invalid", tally.invalid)
    event.add("failed", tally.failed)
    event.add("network_lost", tally.networkLost)
    event.add("cached", tally.cached)
    event.add("unknown", tally.unknown)
    event.add("sources", sources)
    if let upgrades = outcome.upgrades {
      event.add("upgradable", upgrades.upgradable)
      event.add("upgraded", upgrades.upgraded)
    }
    event.add("requests", counters.requests)
    event.add("throttled", counters.throttled)
    event.add("losses", counters.losses)
    event.add("offline_ms", counters.offline)
    event.add("elapsed_ms", counters.elapsed)
    return event
  }

  /// The status to end with; says why when writing failed.
  ///
  /// - Parameters:
  ///   - signal: What ended the run early, if a signal did.
  ///   - console: Where to say it.
  /// - Returns: The highest of the reasons.
  func status(signal: ExitStatus?, console: Console) -> ExitStatus {
    var reasons: [ExitStatus] = []
    guard !isSatisfied else { return .success }
    if let failure = outcome.outputFailure {
      console.error("\(failure)")
      reasons.append(.inputOutput)
    }
    if let signal, outcome.isInterrupted { reasons.append(signal) }
    if !outcome.inputFailures.isEmpty { reasons.append(.inputOutput) }
    let tally = outcome.tally
    let failed = tally.failed + (outcome.upgrades?.failed ?? 0)
    let lost = tally.networkLost + (outcome.upgrades?.networkLost ?? 0)
    if isRefused, failed > 0 { reasons.append(.refused) }
    if lost > 0 { reasons.append(.networkLost) }
    let isAllInvalid = tally.invalid > 0 && tally.invalid == tally.records
    if failed > 0 || isAllInvalid || countsInvalid && tally.invalid > 0 {
      reasons.append(.failed)
    }
    return .highest(of: reasons)
  }
}

/// A number with its noun: `1 request`, `12 requests`.
func count(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}

extension Duration {
  /// Whole milliseconds; exact, as a quotient in floating point is not for a date.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// The time in the unit that a person would use: `0.3 s`, `4 min 20 s`, `2 h 5 min`.
  var forPerson: String {
    let seconds = Int(self / .seconds(1))
    switch seconds {
    case ..<10:
      let tenths = Int((self / .milliseconds(100)).rounded())
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
    case ..<172_800: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86_400) days \(seconds % 86_400 / 3600) h"
    }
  }
}
