import SondeSetup
import SondeAlerts
import SondeOptions
import SondeReachability
import SondeReport
import SondeSystem

/// `sonde watch --test-alert`: tries every way that alerts take, once.
struct AlertTest: Sendable {
  private typealias Way = (name: String, alarm: any TestableAlarm)

  private let ways: @Sendable (Verdict?) -> [Way]
  private let network: EndpointGroup?
  private let host: String
  private let console: Console

  /// - Throws: ``UsageError`` without a way to try, or for a mistake in the options.
  init(_ context: Context) throws {
    let options = context.options
    guard options.exec != nil || options.syslog || !options.webhooks.isEmpty else {
      throw context.valueError("test-alert", " needs --webhook, --exec or --syslog")
    }
    let setup = WatchSetup(context)
    // Where nothing is asked, no path is judged.
    let isWatched = context.command == .watch || !context.asksNobody
    network = try isWatched ? setup.group(of: setup.endpoints()) : nil
    host = HostName.own(context)
    console = context.console
    let webhooks = WebhookSetup(context)
    let targets = try webhooks.targets()
    let client = try ConnectionSetup(context).client(connections: targets.count)
    let others = Alarms.local(options, in: context.environment, reportingTo: NoLog())
      .map { ($0.name, $0.alarm) }
    ways = { verdict in
      targets.map { target in
        let trial = WebhookTrial(to: target, client: client, verdict: verdict)
        return ("--webhook: \(target.shown)", trial)
      } + others
    }
  }

  /// Tries all ways at once, and reports what came back in the order of the options.
  func run() async -> ExitStatus {
    let verdict = await network?.firstState()?.verdict
    let alert = Alert(testAt: .now, host: host)
    let attempts = ways(verdict).map { name, alarm in
      (name: name, task: Task { await alarm.attempt(alert) })
    }
    return await withTaskCancellationHandler {
      var isComplete = true
      for (name, task) in attempts {
        let attempt = await task.value
        let line = "\(name): \(attempt.words)"
        if attempt.isTaken { console.note(line) } else { console.error(line) }
        isComplete = isComplete && attempt.isTaken
      }
      return isComplete ? .success : verdict?.isOnline == false ? .networkLost : .failed
    } onCancel: {
      for attempt in attempts { attempt.task.cancel() }
    }
  }
}

/// A log of alarms that are tried, whose failures are reported by the attempt.
private struct NoLog: AlertLog {
  func error(_ message: String) {}
  func note(_ message: String) {}
}
