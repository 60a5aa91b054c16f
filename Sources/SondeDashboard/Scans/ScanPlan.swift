import SondeAddresses
import SondeInputs
import SondeLogs
import SondeRecords
import SondeScanner

/// The expected cost of a scan, as `sonde plan` reports it.
struct ScanPlan: Sendable {
  let mode: InputMode
  let total: Int
  let json: [UInt8]

  /// Reads an input within the limits, and looks its addresses up in the cache.
  ///
  /// - Throws: ``DashboardError``, `InputError` if it cannot be read, or `CancellationError`.
  init(
    reading path: String,
    as form: InputForm,
    _ list: DashboardServices.ProviderList,
    _ limits: DashboardLimits
  ) async throws {
    mode =
      switch form {
      case .guess: try InputMode.guess(path: path)
      case .list: .list
      case .log: .log
      }
    var opened = InputSet(opening: [.file(path)], captures: .recognized)
    opened.longestUnpacked = limits.unpacked
    if let failure = opened.failures.first { throw failure }
    var rules = EntryRules()
    rules.mode = mode
    let reader = try EntryReader(inputs: opened, rules: rules)
    let plan = await Plan(reading: reader, list.caches, limit: limits.entries) { _ in }
    if plan.isInterrupted { throw CancellationError() }
    guard !plan.isOverLimit else {
      throw DashboardError(.tooLarge, "more than \(limits.entries) entries (--limit-entries)")
    }
    // An input that cannot be read to its end fails in the scan, with the counts up to there.
    total = plan.entries
    var estimates: [ProviderEstimate] = []
    for estimate in list.estimates { estimates.append(await estimate.withRest()) }
    json = Self.json(of: plan, estimates).bytes
  }

  private static func json(of plan: Plan, _ estimates: [ProviderEstimate]) -> JSONObject {
    let toAsk = plan.toAsk.first ?? 0
    var object = JSONObject()
    object.add("entries", plan.entries)
    object.add("valid", plan.tally.ok)
    object.add("distinct", plan.tally.ok + plan.tally.reserved)
    object.add("duplicates", plan.tally.duplicates)
    object.add("cached", plan.tally.ok - toAsk)
    object.add("reserved", plan.tally.reserved)
    object.add("invalid", plan.tally.invalid)
    object.add("to_ask", toAsk)
    let needs = zip(estimates, plan.toAsk).map { Self.needs(of: $0, for: $1) }
    object.add("requests", needs.first?.requests ?? 0)
    object.add("seconds", optional: needs.first?.seconds)
    // Providers that send no requests are not mentioned, unless they are the only ones.
    let told = zip(estimates, needs).filter { estimate, _ in
      estimate.batch > 0 || estimates.count == 1
    }
    object.add("providers", objects: told.map { $1.json })
    return object
  }

  private struct Needs {
    let requests: Int
    let seconds: Int64?
    let json: JSONObject
  }

  private static func needs(of estimate: ProviderEstimate, for addresses: Int) -> Needs {
    let requests = estimate.requests(for: addresses)
    let seconds = estimate.duration(of: requests).map(\.components.seconds)
    var object = JSONObject()
    object.add("name", estimate.name)
    object.add("requests", requests)
    object.add("seconds", optional: seconds)
    object.add("time", estimate.time(for: requests))
    return Needs(requests: requests, seconds: seconds, json: object)
  }
}
