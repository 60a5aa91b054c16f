import Glibc
import Reachability
import Transfer

/// The alarms that the options ask for.
struct Alarms: Sendable {
  private let queues: [AlertQueue]
  private let webhook: Webhook?

  init(_ context: Context, endpoint: String) async throws {
    let console = context.console
    var queues: [AlertQueue] = []
    if let command = context.options.exec {
      queues.append(AlertQueue("--exec", CommandAlarm(command, console: console), console))
    }
    if context.options.syslog { queues.append(AlertQueue("--syslog", SyslogAlarm(), console)) }
    webhook = try await context.options.webhook.asyncMap { url in
      try await Webhook(url: url, context: context, endpoint: endpoint)
    }
    if let webhook { queues.append(AlertQueue("--webhook", webhook, console)) }
    self.queues = queues
  }

  /// Hands a change on; does not wait for anything.
  func take(_ transition: NetworkTransition) {
    webhook?.setOnline(transition.verdict.isOnline)
    guard let alert = NetworkAlert(transition) else { return }
    for queue in queues { queue.put(alert) }
  }

  /// Makes alerts known until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
      if let webhook { group.addTask { await webhook.run() } }
    }
  }

  /// Makes known what has been handed over, and takes no more.
  func finish() async {
    for queue in queues { queue.close() }
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
    }
    await webhook?.deliver()
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(
    _ transform: (Wrapped) async throws -> Result
  ) async rethrows -> Result? {
    guard let self else { return nil }
    return try await transform(self)
  }
}

/// Alerts that wait for one alarm, in order.
struct AlertQueue: Sendable {
  /// The most that wait; an alarm that is further behind loses the oldest.
  static let limit = 1000

  private let name: String
  private let alarm: any Alarm
  private let console: Console
  private let alerts: AsyncStream<NetworkAlert>
  private let entrance: AsyncStream<NetworkAlert>.Continuation

  /// - Parameters:
  ///   - name: The alarm's option, for a word about a loss.
  ///   - alarm: The alarm.
  ///   - console: Where the word goes.
  init(_ name: String, _ alarm: any Alarm, _ console: Console) {
    self.name = name
    self.alarm = alarm
    self.console = console
    (alerts, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
  }

  /// Adds an alert.
  func put(_ alert: NetworkAlert) {
    guard case .dropped = entrance.yield(alert) else { return }
    console.error("\(name) is \(Self.limit) alerts behind: the oldest is lost")
  }

  /// Takes no more alerts.
  func close() { entrance.finish() }

  /// Raises the alerts until the queue is closed, or the task cancelled, and those in it are raised.
  func run() async {
    for await alert in alerts { await alarm.raise(alert) }
  }
}
