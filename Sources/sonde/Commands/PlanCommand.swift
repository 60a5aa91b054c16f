import Glibc
import Providers
import Records
import Scanner
import Store

/// `sonde plan`: what a scan would do, without sending anything.
enum PlanCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let setup = ProviderSetup(context)
    let options = context.options
    let inputs = try InputSetup(context).inputs()
    try OutputChecks.check(context, against: inputs)
    let estimates = try options.providers.map {
      try setup.estimate(for: $0, maximum: options.maxRequests)
    }
    let databases = options.providers.first == .local ? try setup.localDatabases() : nil
    var rules = InputSetup(context).entryRules
    // However often an address is given, it is asked about once.
    rules.keepsDuplicates = false
    let opened = try InputSet(readable: inputs, captures: InputSetup(context).captures)
    let reader = try EntryReader(inputs: opened, rules: rules)
    let store = try existingStore(context)
    let caches = try answerCaches(in: store, context)
    let filter = context.filter(named: inputs.map(\.name), traffic: rules.traffic)
    let (plan, signal) = await Signals.cancelling { [console = context.console] in
      await Plan(reading: reader, caches, filter: filter) { console.error($0.explained()) }
    }
    await store?.close()
    var outcome = ScanOutcome()
    outcome.inputErrors = plan.inputErrors
    outcome.isInterrupted = plan.isInterrupted
    outcome.note(end: signal)
    let reporter = Reporter(console: context.console)
    let status = reporter.status(of: outcome, signal: signal)
    guard !outcome.isInterrupted else { return status }
    sayPrivacy(context)
    if plan.tally.ok > 0 { reporter.sayAge(of: databases?.builds ?? []) }
    let text = plan.text(estimates, isFiltered: filter != nil)
    return .highest(of: [await StandardOutput.write(text), status])
  }

  private static func sayPrivacy(_ context: Context) {
    let setup = ProviderSetup(context)
    for provider in context.options.providers {
      guard let api = try? setup.api(of: provider), api.isCautionDue,
        let words = Help.privacy(of: provider, at: api.base.authority)
      else { continue }
      context.console.note(words)
    }
  }

  /// Where the answers of earlier runs are; `nil` where there are none: looking makes no file.
  private static func existingStore(_ context: Context) throws -> (any AnswerStore)? {
    let stores = StoreSetup(context)
    guard context.options.providers != [.local] else { return nil }
    if context.options.shared == nil {
      guard let path = stores.cachePath, unsafe access(path, F_OK) == 0 else { return nil }
    }
    return try stores.kept().answers
  }

  /// The answers that each provider of the list gave before; `nil` for those whose are not kept.
  private static func answerCaches(
    in store: (any AnswerStore)?,
    _ context: Context
  ) throws -> [AnswerCache?] {
    let providers = context.options.providers
    guard let rules = StoreSetup(context).cacheRules, let store else {
      return providers.map { _ in nil }
    }
    let setup = ProviderSetup(context)
    return try providers.map { provider in
      try setup.api(of: provider).map { AnswerCache(of: $0, in: store, rules: rules) }
    }
  }
}
