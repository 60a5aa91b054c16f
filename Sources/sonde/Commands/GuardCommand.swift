import SondeSetup
import SondeAlerts
import SondeAsking
import SondeCounting
import SondeGuard
import SondeInputs
import SondeLogs
import SondeOptions
import SondeRecords
import SondeReport
import SondeSystem

/// `sonde guard`: raises alerts when hits in logs meet a condition.
enum GuardCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    if context.options.testAlert {
      let test = try AlertTest(context)
      let (status, signal) = await Signals.cancelling(watchesOutput: false) { await test.run() }
      return signal ?? status
    }
    return try await context.options.guarding.replay ? replay(context) : follow(context)
  }

  private static func follow(_ context: Context) async throws -> ExitStatus {
    for name in ["since", "until"] where context.options.isGiven(name) {
      throw context.valueError(name, " chooses what --replay reads: logs are followed without")
    }
    let hasJournal = !context.options.guarding.journals.isEmpty
    let files =
      context.operands.isEmpty && hasJournal ? [] : try InputSetup(context).files()
    try OutputChecks.check(context, against: files)
    let plan = try context.guardPlan()
    let heartbeat = try WatchSetup(context).heartbeat()
    let alarms = try context.alarms()
    let folder = try context.options.guarding.name.map {
      try GuardFolder($0, in: UserFolders(environment: context.environment).state)
    }
    let reporter = Reporter(console: context.console)
    let providers = try await ProviderSetup(context).providers { reporter.report($0) }
    let interrupt = try WakePipe.forInputs()
    let names = files.map(\.name).filter { $0 != "-" }
    var input: StandardLines?
    if names.count < files.count {
      input = try StandardLines(.standardInput, interruptedBy: interrupt)
    }
    let journal = try JournalLines(context.options.guarding) { [console = context.console] in
      console.error($0)
    }
    let end = GuardEnd(context.console, statePath: folder?.path)
    let work: GuardWork
    do {
      work = try GuardWork(
        plan,
        following: names,
        fromStart: context.options.guarding.fromStart,
        in: folder
      ) { [console = context.console] in console.error($0) }
    } catch {
      await providers.close()
      return end.status(of: error)
    }
    let following = GuardFollowing(
      work,
      providers.chain,
      context.guardPrinter,
      end,
      alarms,
      heartbeat,
      host: HostName.own(context),
      atOnce: context.options.concurrency
    )
    let ends = context.options.once || names.isEmpty && journal == nil
    if !ends { Signals.endWithSuccess() }
    let (result, signal) = await Signals.cancelling(preparing: {
      providers.chain.stopAsking()
      interrupt.ring()
    }) { [input] in
      await providers.chain.watchingNetwork {
        await following.run(until: ends, reading: input, journal)
      }
    }
    await providers.close()
    context.pattern?.finish()
    // Of files, all may have been read before.
    let picked = names.isEmpty && signal == nil ? InputSetup(context).pickStatus : .success
    let refused = providers.refusal(of: result)
    return .highest(of: [result, signal ?? .success, picked, refused])
  }

  private static func replay(_ context: Context) async throws -> ExitStatus {
    if !context.options.guarding.journals.isEmpty {
      throw context.valueError("journal", " is followed: --replay reads files")
    }
    let plan = try context.guardPlan()
    let rules = try SummarySetup.rules(context)
    let isLimited = rules.since != nil || rules.until != nil
    let replay = GuardReplay(
      plan,
      during: isLimited ? (rules.since ?? .min)..<(rules.until ?? .max) : nil,
      context.guardPrinter,
      GuardEnd(context.console),
      atOnce: context.options.concurrency
    )
    let files = try InputSetup(context).files()
    let reporter = Reporter(console: context.console)
    try OutputChecks.check(context, against: files)
    let providers = try await ProviderSetup(context).providers { reporter.report($0) }
    let interrupt = try WakePipe.forInputs()
    let (outcome, signal) = await Signals.cancelling(preparing: {
      providers.chain.stopAsking()
      interrupt.ring()
    }) {
      await providers.chain.watchingNetwork {
        await replay.run(files, providers.chain, interruptedBy: interrupt)
      }
    }
    await providers.close()
    context.pattern?.finish()
    context.tell(outcome.leftOut, hasCounted: outcome.hasCounted)
    let picked = InputSetup(context).pickStatus
    let refused = providers.refusal(of: outcome.status)
    return .highest(of: [outcome.status, signal ?? .success, picked, refused])
  }
}

extension RunProviders {
  /// The status if hits were left undecided, and a provider refused to answer.
  fileprivate func refusal(of status: ExitStatus) -> ExitStatus {
    status != .success && chain.hasRefusal ? .refused : .success
  }
}

extension Context {
  /// What `guard` does, as configured by the options.
  ///
  /// - Throws: ``UsageError`` for missing or contradictory ones, and for fields that are not known.
  fileprivate func guardPlan() throws(UsageError) -> GuardPlan {
    guard when != nil || options.guarding.new != nil || options.guarding.travel != nil else {
      throw usageError("which hits count? Give --when EXPR, such as --when 'text ~ \"*Failed*\"'")
    }
    let new = try options.guarding.new.map { name throws(UsageError) in
      try fields([name], of: "new")
    }
    return GuardPlan(
      options,
      when: when,
      key: try fields(options.guarding.by, of: "by"),
      new: new,
      capturing: pattern,
      zone: try SummarySetup.zone(self),
      pickFindings
    )
  }

  /// Fields by their names, as a condition that has them.
  private func fields(_ names: [String], of option: String) throws(UsageError) -> Filter {
    let quoted = names.map {
      "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
    let filter = try filter(quoted.joined(separator: " and "), of: option)
    try checkFields(of: filter, in: option)
    return filter
  }

  fileprivate var guardPrinter: GuardPrinter {
    let format = options.watchFormat ?? (writesToTerminal ? .text : .ndjson)
    return GuardPrinter(asText: format == .text, host: HostName.own(self))
  }
}
