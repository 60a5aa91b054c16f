import SondeRecords
import Synchronization

/// Alerts waiting for one alarm, in order.
package final class AlertQueue: Sendable {
  /// The usual ``limit``.
  package static let usualLimit = 1000

  /// The largest number of waiting alerts; beyond it, the oldest is dropped.
  private let limit: Int

  private let name: String
  private let alarm: any Alarm
  private let console: any AlertLog
  private let alerts = Mutex<[Alert]>([])
  private let arrivals: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// `name` is the alarm's option, used to report lost alerts.
  package init(
    _ name: String,
    _ alarm: any Alarm,
    _ console: any AlertLog,
    limit: Int = usualLimit
  ) {
    (self.name, self.alarm, self.console, self.limit) = (name, alarm, console, limit)
    (arrivals, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an alert; a full queue drops the oldest.
  package func append(_ alert: Alert) {
    let isFull = alerts.withLock { alerts in
      alerts.append(alert)
      guard alerts.count > limit else { return false }
      alerts.removeFirst()
      return true
    }
    bell.yield()
    if isFull { console.error("\(name) is \(limit) alerts behind: the oldest is lost") }
  }

  /// Accepts no more alerts.
  package func close() { bell.finish() }

  /// Raises the alerts until the queue is closed or the task cancelled, including queued ones.
  package func run() async {
    var missed = 0
    for await _ in arrivals { missed += await raiseAll() }
    // A cancelled task is not notified of arrivals.
    missed += await raiseAll()
    await alarm.finish()
    guard missed > 0 else { return }
    console.error("\(name): \(count(missed, "alert was", "alerts were")) not raised before the end")
  }

  /// - Returns: The number of alerts that were not raised.
  private func raiseAll() async -> Int {
    var missed = 0
    while let alert = alerts.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      if await !alarm.raise(alert) { missed += 1 }
    }
    return missed
  }
}
