import SondeAlerts
import SondeOptions
import SondeReachability
import SondeReport
import SondeSystem
import SondeTransfer

/// The alarms that the options configure.
struct Alarms: Sendable {
  private let queues: [AlertQueue]
  private let webhooks: [Webhook]

  init(_ context: Context, endpoint: String) throws {
    let console = context.console
    var queues: [AlertQueue] = []
    if let command = context.options.exec {
      let alarm = CommandAlarm(command, in: context.environment, console: console)
      queues.append(AlertQueue("--exec", alarm, console))
    }
    if context.options.syslog {
      let log = SystemLog(interruption: Signals.interruption)
      queues.append(AlertQueue("--syslog", SyslogAlarm(log: log, console: console), console))
    }
    webhooks = try WebhookSetup(context, endpoints: [endpoint]).webhooks()
    for webhook in webhooks {
      queues.append(AlertQueue("--webhook", webhook, console, limit: Webhook.most))
    }
    self.queues = queues
  }

  /// Queues an alert for every alarm; returns without waiting.
  func raise(_ transition: NetworkTransition) {
    for webhook in webhooks { webhook.set(transition.verdict) }
    guard let alert = NetworkAlert(transition) else { return }
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
