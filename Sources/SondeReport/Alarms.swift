package import SondeAlerts
package import SondeOptions
package import SondeReachability
import SondeSystem
import Synchronization

/// The alarms that the options configure.
package final class Alarms: Sendable {
  /// An alarm on this machine, by the name of its option.
  package typealias Local = (name: String, alarm: any Alarm & TestableAlarm)

  /// The command and the system log, if the options name them.
  package let locals: [Local]
  private let queues: [AlertQueue]
  private let webhooks: [Webhook]
  private let alerts: Mutex<NetworkAlerts>

  /// `environment` is that of commands, `host` the name of this machine in alerts.
  package init(
    _ options: Options,
    _ webhooks: [Webhook],
    in environment: [String: String],
    host: String,
    _ console: Console
  ) {
    locals = Self.local(options, in: environment, reportingTo: console)
    self.webhooks = webhooks
    queues =
      locals.map { AlertQueue($0.name, $0.alarm, console) }
      + webhooks.map { AlertQueue("--webhook", $0, console, limit: Webhook.most) }
    alerts = Mutex(NetworkAlerts(host: host))
  }

  /// The command and the system log, if the options name them.
  package static func local(
    _ options: Options,
    in environment: [String: String],
    reportingTo console: any AlertLog
  ) -> [Local] {
    var alarms: [Local] = []
    if let command = options.exec {
      alarms.append(("--exec", CommandAlarm(command, in: environment, console: console)))
    }
    if options.syslog {
      let log = SystemLog(interruption: Signals.interruption)
      alarms.append(("--syslog", SyslogAlarm(log: log, console: console)))
    }
    return alarms
  }

  /// Continues after an earlier watch of the same endpoint; call it before the first change.
  package func resume(after unended: UnendedState?) {
    alerts.withLock { $0.resume(after: unended) }
  }

  /// Queues an alert about a change, the next one, for every alarm; returns without waiting.
  package func raise(_ transition: NetworkTransition) {
    set(transition.verdict)
    guard let alert = alerts.withLock({ $0.alert(for: transition) }) else { return }
    for queue in queues { queue.append(alert) }
  }

  /// Lets the webhooks know the state of the network.
  package func set(_ verdict: Verdict) {
    for webhook in webhooks { webhook.set(verdict) }
  }

  /// Delivers alerts until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
      for webhook in webhooks { group.addTask { await webhook.run() } }
    }
    for webhook in webhooks { await webhook.sayUndelivered() }
  }

  /// Delivers the queued alerts and accepts no more.
  package func finish() async {
    for queue in queues { queue.close() }
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
    }
    await deliverOnce()
    for webhook in webhooks { await webhook.sayUndelivered() }
  }
}

/// Alerts that are kept elsewhere until they are handed over.
extension Alarms {
  /// Adds alerts to the queues of all webhooks, and returns whether they are on disk there: if not,
  /// they are sent from memory, and must be kept and handed over again.
  package func queue(_ alerts: [Alert]) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      for webhook in webhooks { group.addTask { await webhook.add(alerts) } }
      return await group.allSatisfy { $0 }
    }
  }

  /// Delivers what is in the queues of the webhooks until the task is cancelled.
  package func runWebhooks() async {
    await withDiscardingTaskGroup { group in
      for webhook in webhooks { group.addTask { await webhook.run() } }
    }
  }

  /// Tries each alert in the queues of the webhooks.
  package func deliverOnce() async {
    await withDiscardingTaskGroup { group in
      for webhook in webhooks { group.addTask { await webhook.deliver() } }
    }
  }

  /// Ends commands, and reports what was not delivered, and is kept for the next run or not.
  package func end(areKept: Bool) async {
    for local in locals { await local.alarm.finish() }
    for webhook in webhooks { await webhook.sayUndelivered(keptByGiver: areKept) }
  }
}
