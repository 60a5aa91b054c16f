import SondeAlerts
import SondeOptions
import SondeReachability
import SondeReport
import SondeSystem
import SondeTransfer
import Synchronization

/// The alarms that the options configure.
final class Alarms: Sendable {
  /// An alarm on this machine, by the name of its option.
  typealias Local = (name: String, alarm: any Alarm & TestableAlarm)

  private let queues: [AlertQueue]
  private let webhooks: [Webhook]
  private let alerts: Mutex<NetworkAlerts>

  init(_ context: Context) throws {
    let console = context.console
    var queues = Self.local(context, reportingTo: console).map {
      AlertQueue($0.name, $0.alarm, console)
    }
    webhooks = try WebhookSetup(context).webhooks()
    for webhook in webhooks {
      queues.append(AlertQueue("--webhook", webhook, console, limit: Webhook.most))
    }
    self.queues = queues
    alerts = Mutex(NetworkAlerts(host: HostName.own(context)))
  }

  /// The command and the system log, if the options name them.
  static func local(_ context: Context, reportingTo console: any AlertLog) -> [Local] {
    var alarms: [Local] = []
    if let command = context.options.exec {
      let alarm = CommandAlarm(command, in: context.environment, console: console)
      alarms.append(("--exec", alarm))
    }
    if context.options.syslog {
      let log = SystemLog(interruption: Signals.interruption)
      alarms.append(("--syslog", SyslogAlarm(log: log, console: console)))
    }
    return alarms
  }

  /// Continues after an earlier watch of the same endpoint; call it before the first change.
  func resume(after unended: UnendedState?) { alerts.withLock { $0.resume(after: unended) } }

  /// Queues an alert about a change, the next one, for every alarm; returns without waiting.
  func raise(_ transition: NetworkTransition) {
    for webhook in webhooks { webhook.set(transition.verdict) }
    if let alert = alerts.withLock({ $0.alert(for: transition) }) { raise(alert) }
  }

  /// Queues an alert for every alarm; returns without waiting.
  func raise(_ alert: Alert) {
    for queue in queues { queue.append(alert) }
  }

  /// Delivers alerts until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
      for webhook in webhooks { group.addTask { await webhook.run() } }
    }
    for webhook in webhooks { await webhook.sayUndelivered() }
  }

  /// Delivers the queued alerts and accepts no more.
  func finish() async {
    for queue in queues { queue.close() }
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
    }
    await withDiscardingTaskGroup { group in
      for webhook in webhooks { group.addTask { await webhook.deliver() } }
    }
    for webhook in webhooks { await webhook.sayUndelivered() }
  }
}
