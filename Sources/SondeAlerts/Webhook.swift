import SondeRecords
package import SondeTransfer
import Synchronization

/// Posts alerts to a URL, in order, and waits while the network is lost.
///
/// Undelivered alerts are on disk. An alert without an answer, because the network was lost or the
/// program killed, is sent again.
package final class Webhook: Alarm {
  private let url: String
  private let client: HTTPClient
  private let spool: AlertSpool
  private let successor: String
  private let console: any AlertLog
  private let schedule = Mutex(DeliverySchedule())
  private let wakes: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// Creates a webhook; `successor` describes what will send undelivered alerts later.
  ///
  /// The spool may have undelivered alerts of an earlier run.
  package init(
    url: String,
    client: HTTPClient,
    spool: AlertSpool,
    successor: String,
    console: any AlertLog
  ) {
    (self.url, self.client, self.spool) = (url, client, spool)
    (self.successor, self.console) = (successor, console)
    (wakes, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  package func raise(_ alert: NetworkAlert) async -> Bool {
    await append(alert.event)
    return true
  }

  /// Adds the body of an alert, and returns once it is on disk.
  package func append(_ body: [UInt8]) async {
    await spool.append(body)
    bell.yield()
  }

  /// Reports undelivered alerts at the end.
  package func sayUndelivered() async {
    let (kept, unkept) = await spool.counts
    if kept > 0 {
      console.error(
        "--webhook: \(count(kept, "alert is", "alerts are")) not delivered; \(successor) sends what "
          + "lies in \(spool.path)"
      )
    }
    if unkept > 0 {
      console.error("--webhook: \(count(unkept, "alert is lost", "alerts are lost"))")
    }
  }

  /// Sets the state of the network.
  ///
  /// A request that is pending when the network is lost is not abandoned: its answer may still
  /// arrive, which avoids sending the alert twice.
  package func setOnline(_ isOnline: Bool) {
    schedule.withLock { $0.setOnline(isOnline) }
    if isOnline { bell.yield() }
  }

  /// Delivers until the task is cancelled.
  package func run() async {
    var timer: Task<Void, Never>?
    for await _ in wakes {
      timer?.cancel()
      guard let moment = await deliver() else { continue }
      timer = Task { [bell] in
        if (try? await Task.sleep(until: moment, clock: .continuous)) != nil { bell.yield() }
      }
    }
    timer?.cancel()
  }

  /// Delivers waiting alerts until one fails; returns when to retry it.
  @discardableResult
  package func deliver() async -> ContinuousClock.Instant? {
    while let alert = await spool.first, !Task.isCancelled {
      switch schedule.withLock({ $0.step(now: .now) }) {
      case .rest: return nil
      case .wait(let moment): return moment
      case .send:
        let problem = await post(alert.body)
        // A request ended by the program itself shows nothing about the receiver.
        if problem != nil, Task.isCancelled { return nil }
        note(problem)
        if problem == nil { await spool.remove(alert.number) }
      }
    }
    return nil
  }

  private func note(_ problem: String?) {
    let failures = schedule.withLock { schedule in
      let failures = schedule.failures
      var generator = SystemRandomNumberGenerator()
      if problem == nil { schedule.succeed() } else { schedule.fail(now: .now, using: &generator) }
      return failures
    }
    switch (problem, failures) {
    case (let problem?, 1): console.error("--webhook: \(problem); trying again")
    case (nil, 2...): console.note("--webhook: delivered again")
    case (_, _): return
    }
  }

  /// Sends one alert; returns why it was not accepted, or `nil` if it was.
  private func post(_ body: [UInt8]) async -> String? {
    var request = SondeTransfer.Request(url: url, method: .post, body: body)
    request.headers = [("Content-Type", "application/json")]
    // Alerts are rare, and pooled connections may be dead since the last loss.
    request.isFreshConnection = true
    request.maximumBody = 1 << 20
    do {
      let status = try await client.send(request).status
      return (200..<300).contains(status) ? nil : "\(redacted(url: url)): HTTP \(status)"
    } catch {
      return "\(error)"
    }
  }
}
