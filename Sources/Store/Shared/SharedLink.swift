import Redis
import Synchronization
import System

/// The way to the server that machines share: connects, notices when it is gone and looks for its
/// return.
///
/// Its calls run on a thread of their own, one after the other. While the server is gone they fail at
/// once, and a call that hangs is waited for no longer than ``patience``.
actor SharedLink {
  /// The time for each step of a connection.
  private static let limit = Duration.seconds(1)
  /// How long anybody waits for a call, those before it included.
  private static let patience = Duration.seconds(3)
  /// The bounds of the time between two looks for the server's return.
  private static let pauses = Duration.milliseconds(100)...(.milliseconds(500))

  private struct State {
    var outage: LedgerOutage?
    var clock = SharedClock()
    var isClosed = false
    var interrupt: @Sendable () -> Void = {}
    var lastSubscriber = 0
    var subscribers: [Int: AsyncStream<LedgerOutage?>.Continuation] = [:]
  }

  private let executor = BlockingExecutor(label: "sonde.shared")
  private let place: RedisPlace
  private let password: String?
  private nonisolated let state = Mutex(State())
  private var session: SharedSession?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names the server; it is connected to at the first use.
  init(to place: RedisPlace, password: String?) { (self.place, self.password) = (place, password) }

  /// The name of the server, without a user.
  nonisolated var name: String { place.description }

  // MARK: - Using it

  /// Does something on the server, as soon as what was begun before is done.
  ///
  /// - Parameter body: Does it; it may be called once more where the connection had ended.
  /// - Returns: What it returned; `nil` where the server is gone, which ``outage`` tells by then.
  nonisolated func perform<R: Sendable>(
    _ body: @escaping @Sendable (SharedSession) throws(RedisError) -> R
  ) async -> R? {
    guard outage == nil else { return nil }
    let (ends, end) = AsyncStream<R?>.makeStream(bufferingPolicy: .bufferingOldest(1))
    Task { end.yield(await execute(body)) }
    let timer = Task {
      guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
      fail(RedisError(.unreachable, "Redis does not answer"))
      end.yield(nil)
    }
    defer { timer.cancel() }
    for await result in ends { return result }
    return nil
  }

  private func execute<R: Sendable>(_ body: (SharedSession) throws(RedisError) -> R) -> R? {
    guard outage == nil else { return nil }
    do throws(RedisError) {
      guard let known = session else { return try body(connected()) }
      do throws(RedisError) {
        return try body(known)
      } catch {
        // A server ends connections that nobody has used for long.
        guard error.kind == .ended, !isClosed else { throw error }
        return try body(connected())
      }
    } catch {
      session = nil
      fail(error)
      return nil
    }
  }

  private func connected() throws(RedisError) -> SharedSession {
    session = nil
    let fresh = try SharedSession(place, password: password, limit: Self.limit)
    let (time, sent, received) = fresh.reading
    learn(time, sent: sent, received: received)
    state.withLock { $0.interrupt = fresh.interrupt }
    session = fresh
    return fresh
  }

  // MARK: - Its clock

  /// Takes what the server's clock showed; times of this machine are by ``Clocks/steady``.
  nonisolated func learn(_ time: Duration, sent: Duration, received: Duration) {
    state.withLock { $0.clock.learn(time, sent: sent, received: received) }
  }

  /// What the server's clock shows now, as far as that is known.
  nonisolated var now: Duration {
    let moment = Clocks.steady
    return state.withLock { $0.clock.time(at: moment) } ?? moment
  }

  // MARK: - Its absence

  /// Why the server cannot be used; `nil` while it can, or nobody has tried.
  nonisolated var outage: LedgerOutage? { state.withLock { $0.outage } }

  /// The same, now and at each change.
  nonisolated func outages() -> AsyncStream<LedgerOutage?> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number: Int? = state.withLock { state in
        continuation.yield(state.outage)
        guard !state.isClosed else { return nil }
        state.lastSubscriber += 1
        state.subscribers[state.lastSubscriber] = continuation
        return state.lastSubscriber
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.subscribers[number] = nil }
      }
    }
  }

  private nonisolated var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Notes that the server is gone, and begins to look for its return.
  private nonisolated func fail(_ error: RedisError) {
    let outage = LedgerOutage(place: name, reason: error.description, began: .now)
    let isNew = state.withLock { state in
      guard !state.isClosed, state.outage == nil else { return false }
      state.outage = outage
      // Within the lock, so that nothing later comes first; nobody reads here.
      for subscriber in state.subscribers.values { subscriber.yield(outage) }
      return true
    }
    guard isNew else { return }
    Task { [weak self] in
      var pause = Self.pauses.lowerBound
      repeat {
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, Self.pauses.upperBound)
      } while await self?.lookForReturn() == false
    }
  }

  /// Tries to connect; whether nobody has to try again.
  private func lookForReturn() -> Bool {
    if isClosed { return true }
    do throws(RedisError) {
      _ = try connected()
    } catch {
      return false
    }
    state.withLock { state in
      state.outage = nil
      for subscriber in state.subscribers.values { subscriber.yield(nil) }
    }
    return true
  }

  // MARK: - Closing

  /// Ends the use of the server, within a second.
  nonisolated func close() async {
    // What was begun is done, unless it hangs.
    let (ends, end) = AsyncStream<Void>.makeStream()
    Task {
      await finish()
      end.finish()
    }
    let timer = Task {
      try? await Task.sleep(for: .milliseconds(500))
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
    let (interrupt, subscribers) = state.withLock { state in
      state.isClosed = true
      defer { state.subscribers = [:] }
      return (state.interrupt, Array(state.subscribers.values))
    }
    interrupt()
    for subscriber in subscribers { subscriber.finish() }
  }

  private func finish() {
    state.withLock { $0.isClosed = true }
    session = nil
  }
}
