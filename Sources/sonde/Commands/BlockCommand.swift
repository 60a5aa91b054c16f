import SondeSetup
import SondeAddresses
import SondeAsking
import SondeBlock
import SondeCounting
import SondeInputs
import SondeLogs
import SondeOptions
import SondeOutputs
import SondeRecords
import SondeReport
import SondeScanner
import SondeSummary
import SondeSystem
import Synchronization

/// `sonde block`: counts bad and good hits and chooses the networks to block.
struct BlockCommand {
  private let context: Context
  private let setup: BlockSetup
  private let inputs: [Input]
  private let startedAt = Timestamp.now.seconds

  static func run(_ context: Context) async throws -> ExitStatus {
    try await BlockCommand(
      context: context,
      setup: BlockSetup(context),
      inputs: InputSetup(context).files()
    ).run()
  }

  private func run() async throws -> ExitStatus {
    let reporter = Reporter(console: context.console)
    try OutputChecks.check(context, against: inputs)
    let providers = try await ProviderSetup(context).providers { reporter.report($0) }
    let opened = try InputSet(
      readable: inputs,
      captures: InputSetup(context).captures,
      hasDatabases: !setup.rules.isLog,
      areFiles: true
    )
    let outputs = OutputSetup(context)
    let file = try SummaryFile(context.options.output ?? "-", outputs)
    do {
      let events = try outputs.events(appends: false)
      try events?.empty()
      reporter.record(to: events)
      let batches = 2 * context.options.concurrency
      let block = try BlockScan(
        inputs: opened,
        rules: setup.rules,
        judge: setup.judge(inputs.map(\.name)),
        chain: providers.chain,
        batches: batches,
        main: file.place
      ) { reporter.report($0) }
      let isMet = Mutex(true)
      let status = await Enrichment(context, inputs: inputs).run(
        block.scan,
        asking: providers,
        reporter
      ) {
        var outcome = await block.scan.run()
        let (hits, origin) = block.hits(balancing: &outcome)
        for error in outcome.inputErrors where error.isMisuse { context.console.error(error.words) }
        guard outcome.outputError == nil, !outcome.isMisused else {
          file.leave(&outcome)
          return outcome
        }
        var plan = BlockPlan(hits, sparing: setup.spared, setup.limits)
        plan.totals.expiresAt = setup.style.expire.map { startedAt + $0 }
        let unknown = plan.giveOrigins { origin($0) }
        if setup.format != .plain, !unknown.isEmpty, !outcome.isInterrupted {
          let found = await BlockScan.origins(
            of: unknown,
            chain: providers.chain,
            batches: batches,
            main: file.place
          )
          _ = plan.giveOrigins { found[$0] }
        }
        context.tell(block.leftOut, hasCounted: plan.totals.bad + plan.totals.good > 0)
        tell(plan)
        context.pattern?.finish()
        isMet.withLock { $0 = plan.totals.isMet }
        await file.write(bytes(of: plan), &outcome)
        return outcome
      }
      return .highest(of: [status, isMet.withLock { $0 } ? .success : .failed])
    } catch {
      file.discard()
      throw error
    }
  }

  private func bytes(of plan: BlockPlan) -> [UInt8] {
    guard setup.format == .table else { return plan.bytes(as: setup.format, setup.style) }
    let style = SummarySetup.style(context)
    return Array(plan.text(width: style.width, isUnicode: style.isUnicode).utf8)
  }

  /// Says what the rules do, which limits they miss, and that nothing removes them.
  private func tell(_ plan: BlockPlan) {
    let console = context.console
    let (totals, limits) = (plan.totals, setup.limits)
    let what = limits.count == .hits ? "hits" : "addresses"
    let number = { (number: UInt64) in grouped(Int(clamping: number)) }
    if totals.bad == 0 {
      console.note("nothing is bad\(totals.never > 0 ? " that may be touched" : ""): no rules")
    } else {
      console.note(
        "\(count(plan.rules.count, "rule", "rules")): \(number(totals.badCovered)) of "
          + "\(number(totals.bad)) bad \(what), \(number(totals.goodTouched)) of "
          + "\(number(totals.good)) good ones"
      )
    }
    if totals.never > 0 {
      console.note("not counted: \(number(totals.never)) bad where no rule may be")
    }
    if !totals.isMet {
      let spared = context.options.never.isEmpty ? "longest" : "never"
      let names = [
        ((plan.left[.good] ?? 0) > plan.besideSpared, "collateral"),
        (plan.besideSpared > 0, spared), ((plan.left[.rules] ?? 0) > 0, "max-rules"),
      ].filter(\.0).map { context.origin(of: $0.1).spelling }
      console.error(
        "\(context.origin(of: "cover").spelling) is not reached: \(names.joined(separator: " and ")) "
          + (names.count == 1 ? "stands in the way" : "stand in the way")
      )
    }
    guard let end = totals.expiresAt, !setup.format.expires else { return }
    console.note("nothing will remove the rules at \(Timestamp(seconds: end).wholeSeconds)")
  }
}

extension BlockPlan {
  /// Gives each rule without an origin that of its most hit bad address; returns the addresses
  /// of which none is known.
  fileprivate mutating func giveOrigins(_ origin: (Address) -> BlockOrigin?) -> [Address] {
    var unknown: [Address] = []
    for index in rules.indices where rules[index].origin == BlockOrigin() {
      if let found = origin(rules[index].chief) {
        rules[index].origin = found
      } else {
        unknown.append(rules[index].chief)
      }
    }
    return unknown
  }
}
