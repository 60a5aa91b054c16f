import Addresses
import Glibc
import Providers
import Records
import Scanner
import Store

/// `sonde plan`: what a scan would do, without sending anything.
enum PlanCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try context.inputs()
    try context.checkOutputs(against: inputs)
    var estimates: [ProviderEstimate] = []
    for provider in context.options.providers {
      estimates.append(try context.estimate(for: provider))
    }
    let isLocal = context.options.providers.first == .local
    let databases = isLocal ? try context.localDatabases() : nil
    var rules = context.entryRules
    // However often an address is given, it is asked for once.
    rules.keepsDuplicates = false
    let reader = try EntryReader(inputs: context.opened(inputs), rules: rules)
    let console = context.console
    let store = context.storeToLookInto
    let caches = try context.answerCaches(in: store)
    let (counted, signal) = await Signals.cancelling { await count(reader, caches, console) }
    await store?.close()
    var outcome = ScanOutcome()
    outcome.inputErrors = counted.failures
    outcome.isInterrupted = counted.isInterrupted
    outcome.note(end: signal)
    let reporter = Reporter(console: console)
    let status = reporter.status(of: outcome, signal: signal)
    guard !outcome.isInterrupted else { return status }
    sayPrivacy(context)
    if counted.tally.ok > 0 { reporter.sayAge(of: databases?.builds ?? []) }
    return .highest(of: [await StandardOutput.write(text(counted, estimates)), status])
  }

  private struct Count: Sendable {
    var tally = Tally()
    /// How many of the addresses each provider of the list would be asked for, if none before it
    /// answered anything but what it has answered lately.
    var toAsk: [Int]
    var failures: [InputError] = []
    var isInterrupted = false
  }

  private static func count(
    _ reader: EntryReader,
    _ caches: [AnswerCache?],
    _ console: Console
  ) async -> Count {
    var count = Count(toAsk: caches.map { _ in 0 })
    while true {
      do {
        switch try await reader.next(limit: 4096, patience: nil) {
        case .entries(let entries):
          for record in entries.block.records { count.tally.count(record) }
          count.tally.duplicates += entries.duplicates
          let addresses = entries.block.records.compactMap { $0.status == .ok ? $0.address : nil }
          for (index, asked) in await questions(for: addresses, caches).enumerated() {
            count.toAsk[index] += asked
          }
        case .failure(let failure):
          count.failures.append(failure)
          console.error(failure.explained)
        case .silence: continue
        case .end: return count
        }
      } catch {
        count.isInterrupted = true
        return count
      }
    }
  }

  /// How many of some addresses each provider would be asked for.
  private static func questions(for addresses: [Address], _ caches: [AnswerCache?]) async -> [Int] {
    var (open, counts) = (addresses, [Int]())
    for cache in caches {
      let known = await cache?.lookUp(open) ?? KnownAnswers()
      counts.append(open.count - known.positions.count)
      // An address without an answer goes to the next one.
      let settled = Set(
        zip(known.positions, known.block.records).filter { $1.status == .ok }.map(\.0)
      )
      open = open.indices.filter { !settled.contains($0) }.map { open[$0] }
    }
    return counts
  }

  private static func sayPrivacy(_ context: Context) {
    for provider in context.options.providers {
      guard let api = try? context.api(of: provider), api.isFree,
        let words = Help.privacy(of: provider, at: api.base.authority)
      else { continue }
      context.console.note(words)
    }
  }

  /// The counts, and a line for each provider as if it answered everything.
  private static func text(_ count: Count, _ estimates: [ProviderEstimate]) -> String {
    let tally = count.tally
    let toAsk = count.toAsk.first ?? 0
    let rows = [
      ("entries", tally.records + tally.duplicates), ("distinct", tally.ok + tally.reserved),
      ("duplicates", tally.duplicates), ("cached", tally.ok - toAsk), ("reserved", tally.reserved),
      ("invalid", tally.invalid), ("to ask", toAsk),
    ]
    var lines = rows.map { left($0.0, 14) + right("\($0.1)", 12) }
    lines.append("")
    lines.append(left("provider", 14) + right("requests", 12) + "  time under the quota")
    for (estimate, addresses) in zip(estimates, count.toAsk) {
      let requests = estimate.requests(for: addresses)
      lines.append(
        left(estimate.name, 14) + right("\(requests)", 12) + "  " + estimate.time(for: requests)
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// What a provider would need for a number of addresses.
struct ProviderEstimate {
  let name: String
  /// The most addresses of a request; 0 where nothing is sent.
  let batch: Int
  let allowance: Allowance?
  let maximum: Int?

  /// The requests that so many addresses take, as far as they may be sent.
  func requests(for addresses: Int) -> Int {
    guard batch > 0 else { return 0 }
    let needed = (addresses + batch - 1) / batch
    return min(needed, maximum ?? needed)
  }

  /// How long so many requests take at the least, for a person.
  func time(for requests: Int) -> String {
    guard batch > 0 else { return "at once; sends nothing" }
    guard requests > 0 else { return "none" }
    guard let allowance else { return "at once; no limit is known" }
    let windows = (requests - 1) / allowance.requests
    let limit = "\(allowance.requests) \(allowance.period.asWindow)"
    return windows == 0
      ? "at once (\(limit))" : "\((allowance.period * windows).forPerson) (\(limit))"
  }
}

extension Duration {
  /// The length of a window: `a minute`, `per 10 s`.
  fileprivate var asWindow: String {
    switch self {
    case .seconds(1): "a second"
    case .seconds(60): "a minute"
    case .seconds(86_400): "a day"
    default: "per \(forPerson)"
    }
  }
}

extension Context {
  /// Where the answers of earlier runs are; `nil` where there are none, for looking makes no file.
  fileprivate var storeToLookInto: Store? {
    guard options.providers != [.local], let cachePath, unsafe access(cachePath, F_OK) == 0 else {
      return nil
    }
    return store
  }

  /// The answers that each provider of the list gave before; `nil` for those whose are not kept.
  fileprivate func answerCaches(in store: Store?) throws -> [AnswerCache?] {
    guard let rules = cacheRules, let store else { return options.providers.map { _ in nil } }
    var caches: [AnswerCache?] = []
    for provider in options.providers {
      caches.append(
        try api(of: provider).map { AnswerCache(of: $0, in: store, rules: rules) }
      )
    }
    return caches
  }

  /// The most that the first provider's quota allows; `nil` where it has none.
  var window: RunReport.Window? {
    guard let first = options.providers.first, let source = first.sources.first?.source,
      let estimate = try? estimate(for: first), let allowance = estimate.allowance
    else { return nil }
    let addresses = allowance.requests.multipliedReportingOverflow(by: estimate.batch)
    guard addresses.partialValue > 0, !addresses.overflow else { return nil }
    return RunReport.Window(
      source: source,
      addresses: addresses.partialValue,
      period: allowance.period
    )
  }

  /// What a provider of the list would need.
  func estimate(for provider: Provider) throws -> ProviderEstimate {
    guard let api = try api(of: provider) else {
      return ProviderEstimate(name: provider.name, batch: 0, allowance: nil, maximum: nil)
    }
    let form: RequestForm = api.limit(of: .batch) > 0 ? .batch : .single
    let rate = options.rate.map { Allowance(requests: $0.requests, per: $0.window) }
    return ProviderEstimate(
      name: provider.name,
      batch: api.limit(of: form),
      allowance: rate ?? api.allowance(of: form),
      maximum: options.maxRequests
    )
  }
}
