import SondeAlerts
import SondeOptions
import SondeReachability
import SondeReport
import SondeSystem
import SondeTransfer

/// The alarms that the options configure.
struct Alarms: Sendable {
  private let queues: [AlertQueue]
  private let webhook: Webhook?

  init(_ context: Context, endpoint: String) async throws {
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
    webhook = try await context.options.webhook.asyncMap { url in
      try await Webhook(url: url, context, endpoint: endpoint)
    }
    if let webhook { queues.append(AlertQueue("--webhook", webhook, console)) }
    self.queues = queues
  }

  /// Queues an alert for every alarm; returns without waiting.
  func raise(_ transition: NetworkTransition) {
    webhook?.setOnline(transition.verdict.isOnline)
    guard let alert = NetworkAlert(transition) else { return }
    for queue in queues { queue.append(alert) }
  }

  /// Delivers alerts until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
      if let webhook { group.addTask { await webhook.run() } }
    }
    await webhook?.sayUndelivered()
  }

  /// Delivers the queued alerts and accepts no more.
  func finish() async {
    for queue in queues { queue.close() }
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
    }
    await webhook?.deliver()
    await webhook?.sayUndelivered()
  }
}

extension Webhook {
  /// Opens the spool of a URL from the options.
  ///
  /// - Throws: ``UsageError`` for an invalid URL, or without a directory for alerts.
  convenience init(url: String, _ context: Context, endpoint: String) async throws {
    guard try Endpoint(url: url) != nil else {
      throw context.valueError("webhook", " is not an http:// or https:// URL")
    }
    guard let folder = UserFolders(environment: context.environment).state else {
      throw context.valueError(
        "webhook",
        " keeps alerts in HOME or XDG_STATE_HOME: set one of them"
      )
    }
    let command = context.command
    let successor =
      "the next \(command) with the same URL\(command == .watch ? " and endpoint" : "")"
    try await self.init(
      url: url,
      client: try ConnectionSetup(context).client(),
      spool: AlertSpool(in: folder, for: url + "\n" + endpoint, console: context.console),
      successor: successor,
      console: context.console
    )
  }
}

extension Optional {
  func asyncMap<Result>(
    _ transform: (Wrapped) async throws -> Result
  ) async rethrows -> Result? {
    guard let self else { return nil }
    return try await transform(self)
  }
}
