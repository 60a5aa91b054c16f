package import SondeReachability
import SondeRecords
import SondeSystem
package import SondeTransfer
import Synchronization

/// Sends the alerts of a queue to its URL, one at a time and in order.
package final class Webhook: Alarm {
  /// The largest number of waiting alerts; beyond it, the oldest are dropped.
  package static let most = AlertStore.most

  /// How often to look for alerts that other programs have added, and for a lock that is free.
  private static let pace = Duration.milliseconds(250)

  /// How long an answer is awaited after the program should end.
  private static let grace = Duration.seconds(1)

  private struct State: Sendable {
    var schedule: DeliverySchedule
    var news = DeliveryNews()
  }

  private let target: WebhookTarget
  private let isSecure: Bool
  private let client: HTTPClient
  private let store: AlertStore
  private let console: Log
  private let state: Mutex<State>
  private let wakes: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// Creates the sender of a queue, which may have undelivered alerts of an earlier run.
  ///
  /// - Throws: ``TransferError`` if libcurl cannot be loaded.
  package init(
    to target: WebhookTarget,
    client: HTTPClient,
    place: AlertPlace?,
    console: any AlertLog
  ) throws(TransferError) {
    let endpoint = try Endpoint(url: target.url)
    (self.target, self.client) = (target, client)
    isSecure = endpoint?.isSecure == true
    let log = Log(shown: target.shown, console: console)
    self.console = log
    store = AlertStore(place) { log.error($0) }
    let isExposed = !isSecure && endpoint?.isLoopback != true
    state = Mutex(State(schedule: DeliverySchedule(isExposed: isExposed)))
    (wakes, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an alert, and returns once it is on disk.
  package func raise(_ alert: Alert) async -> Bool {
    await add([alert])
    return true
  }

  /// Adds alerts, and returns whether they are on disk, or done with already.
  @discardableResult
  package func add(_ alerts: [Alert]) async -> Bool {
    let isKept = await store.append(
      alerts.map { AlertStore.Addition(body: $0.stored, key: $0.key) }
    )
    bell.yield()
    return isKept
  }

  /// Sets the state of the network; once it is back, what got no answer is sent again.
  package func set(_ verdict: Verdict) {
    let isBack = state.withLock { $0.schedule.set(verdict) }
    if isBack { client.giveUpUnsent() }
    bell.yield()
  }

  /// Delivers until the task is cancelled.
  package func run() async {
    bell.yield()
    var timer: Task<Void, Never>?
    for await _ in wakes {
      timer?.cancel()
      let next = ContinuousClock.now + Self.pace
      let moment = await deliver().map { min($0, next) } ?? next
      timer = Task { [bell] in
        if (try? await Task.sleep(until: moment, clock: .continuous)) != nil { bell.yield() }
      }
    }
    timer?.cancel()
  }

  /// Delivers waiting alerts until one is to be tried again; returns when.
  @discardableResult
  package func deliver() async -> ContinuousClock.Instant? {
    while !Task.isCancelled {
      let step = state.withLock { $0.schedule.step(now: .now) }
      guard step == .send else {
        await store.renew()
        return step.end
      }
      guard let alert = await store.next(), await deliver(alert) else { return nil }
    }
    return nil
  }

  /// Makes one attempt; returns false if the program has ended it.
  private func deliver(_ alert: AlertStore.Waiting) async -> Bool {
    let returns = state.withLock { $0.schedule.returns }
    do {
      await take(try await answer(to: request(for: alert)), to: alert)
    } catch is CancellationError {
      return false
    } catch {
      noteSilence((error as? TransferError)?.words ?? "\(error)", since: returns)
    }
    return true
  }

  private func request(for alert: AlertStore.Waiting) -> SondeTransfer.Request {
    var request = target.request(for: alert.body, next: alert.newest)
    request.headers.append(("Idempotency-Key", alert.name.key))
    request.isFreshConnection = state.withLock { !$0.schedule.keepsConnection(now: .now) }
    return request
  }

  /// The answer to a request, which a cancelled task still awaits for a moment: it may be on its way,
  /// and the alert would be sent twice.
  private func answer(to request: SondeTransfer.Request) async throws -> Response {
    let exchange = Task { [client] in
      let begin = ContinuousClock.now
      do { return try await client.send(request) } catch let error as TransferError
        where error.reason == .staleConnection
      {
        // The receiver has ended it after its last answer.
        var request = request
        request.isFreshConnection = true
        request.timeout = max(.seconds(1), request.timeout - (.now - begin))
        return try await client.send(request)
      }
    }
    return try await withTaskCancellationHandler {
      try await exchange.value
    } onCancel: {
      Task {
        try? await Task.sleep(for: Self.grace)
        exchange.cancel()
      }
    }
  }

  // MARK: What an attempt brings

  private func take(_ response: Response, to alert: AlertStore.Waiting) async {
    let now = Clocks.wall.components.seconds
    switch Consequence(of: response, isSecure: isSecure, now: now) {
    case .delivered:
      await store.settle(alert.name)
      let isNews = state.withLock { state in
        state.schedule.succeed(now: .now)
        return state.news.accept()
      }
      if isNews { console.note("delivered again") }
    case .again(let wait):
      let isNews = state.withLock { state in
        var generator = SystemRandomNumberGenerator()
        state.schedule.postpone(by: wait, now: .now, using: &generator)
        return state.news.fail(status: response.status)
      }
      if isNews { console.error("HTTP \(response.status); trying again") }
    case .refused:
      await store.refuse(alert)
      tellRefusal(response)
    }
  }

  private func tellRefusal(_ response: Response) {
    let isNews = state.withLock { state in
      state.schedule.succeed(now: .now)
      return state.news.refuse(status: response.status)
    }
    guard isNews else { return }
    let words = words(of: response, from: target.url)
    let place = store.refusedPath.map { ", moved to \($0)" } ?? ""
    console.error(
      "an alert is refused\(place): HTTP \(response.status)\(words.isEmpty ? "" : ": \(words)")"
    )
  }

  private func noteSilence(_ reason: String, since returns: Int) {
    let isNews = state.withLock { state in
      var generator = SystemRandomNumberGenerator()
      let isExpected = !state.schedule.isOnline || state.schedule.returns != returns
      state.schedule.goUnanswered(since: returns, now: .now, using: &generator)
      return !isExpected && state.news.fail()
    }
    if isNews { console.error("\(reason); trying again") }
  }

  // MARK: At the end

  /// Reports undelivered and refused alerts at the end; those that are in no queue are lost unless
  /// their giver keeps them.
  package func sayUndelivered(keptByGiver: Bool = false) async {
    let (kept, unkept, isSentElsewhere) = await store.remaining()
    if kept > 0, let path = store.path {
      let rest =
        isSentElsewhere
        ? " yet; another sonde sends what lies in \(path)"
        : "; the next sonde with this URL sends what lies in \(path)"
      console.error(count(kept, "alert is", "alerts are") + " not delivered" + rest)
    }
    if unkept > 0 {
      let fate = keptByGiver ? " yet; the next run tries again" : ": lost"
      console.error(count(unkept, "alert is", "alerts are") + " not delivered" + fate)
    }
    let refused = await store.refused
    guard refused > 0 else { return }
    let place = store.refusedPath.map { "; see \($0)" } ?? ""
    console.error(count(refused, "alert was", "alerts were") + " refused" + place)
  }

  /// Messages about one URL, of which they show scheme, host and port.
  private struct Log: Sendable {
    let shown: String
    let console: any AlertLog

    func error(_ message: String) { console.error("--webhook: \(shown): \(message)") }

    func note(_ message: String) { console.note("--webhook: \(shown): \(message)") }
  }
}
