import Glibc
import Reachability
import Synchronization
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
    if context.options.syslog {
      queues.append(AlertQueue("--syslog", SyslogAlarm(console: console), console))
    }
    webhook = try await context.options.webhook.asyncMap { url in
      try await Webhook(url: url, context: context, endpoint: endpoint)
    }
    if let webhook { queues.append(AlertQueue("--webhook", webhook, console)) }
    self.queues = queues
  }

  /// Passes a change to every alarm; does not wait for anything.
  func raise(_ transition: NetworkTransition) {
    webhook?.setOnline(transition.verdict.isOnline)
    guard let alert = NetworkAlert(transition) else { return }
    for queue in queues { queue.append(alert) }
  }

  /// Raises alerts until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
      if let webhook { group.addTask { await webhook.run() } }
    }
    await webhook?.sayUndelivered()
  }

  /// Raises the alerts that wait, and accepts no more.
  func finish() async {
    for queue in queues { queue.close() }
    await withDiscardingTaskGroup { group in
      for queue in queues { group.addTask { await queue.run() } }
    }
    await webhook?.deliver()
    await webhook?.sayUndelivered()
  }
}

extension Optional {
  /// Makes something else of the value, if there is one.
  func asyncMap<Result>(
    _ transform: (Wrapped) async throws -> Result
  ) async rethrows -> Result? {
    guard let self else { return nil }
    return try await transform(self)
  }
}

/// Alerts that wait for one alarm, in order.
final class AlertQueue: Sendable {
  /// The most that wait; an alarm that is further behind loses the oldest.
  static let limit = 1000

  private let name: String
  private let alarm: any Alarm
  private let console: Console
  private let alerts = Mutex<[NetworkAlert]>([])
  private let arrivals: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - name: The alarm's option, for a word about a loss.
  ///   - alarm: The alarm.
  ///   - console: Where the word goes.
  init(_ name: String, _ alarm: any Alarm, _ console: Console) {
    self.name = name
    self.alarm = alarm
    self.console = console
    (arrivals, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an alert.
  func append(_ alert: NetworkAlert) {
    let isFull = alerts.withLock { alerts in
      alerts.append(alert)
      guard alerts.count > Self.limit else { return false }
      alerts.removeFirst()
      return true
    }
    bell.yield()
    if isFull { console.error("\(name) is \(Self.limit) alerts behind: the oldest is lost") }
  }

  /// Accepts no more alerts.
  func close() { bell.finish() }

  /// Raises the alerts until the queue is closed, or the task cancelled, and those in it are raised.
  func run() async {
    var missed = 0
    for await _ in arrivals { missed += await raiseAll() }
    // A cancelled task is not told of arrivals.
    missed += await raiseAll()
    await alarm.finish()
    guard missed > 0 else { return }
    console.error("\(name): \(count(missed, "alert was", "alerts were")) not raised before the end")
  }

  /// - Returns: How many the alarm has not raised.
  private func raiseAll() async -> Int {
    var missed = 0
    while let alert = alerts.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      if await !alarm.raise(alert) { missed += 1 }
    }
    return missed
  }
}
