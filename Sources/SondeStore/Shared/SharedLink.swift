import SondeRedis
import SondeSystem
import Synchronization

/// What came of a call on the server that machines share.
enum SharedOutcome<Result: Sendable>: Sendable {
  case done(Result)
  /// The server is gone, which ``SharedLink/outage`` explains by then.
  case gone
  /// It has no room for what was to be kept, in its words.
  case full(String)
  /// The task was cancelled while it waited; the call goes on without it.
  case cancelled

  /// What the call returned, if it did.
  var result: Result? { if case .done(let result) = self { result } else { nil } }

  /// The same for a change of the ledger.
  var update: LedgerUpdate<Result> {
    switch self {
    case .done(let result): .made(result)
    case .gone, .full: .unreachable
    case .cancelled: .cancelled
    }
  }
}

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

  private struct State {
    var presence = SharedPresence()
    var clock = SharedClock()
    var isClosed = false
    var interrupt: @Sendable () -> Void = {}
    var lastSubscriber = 0
    var subscribers: [Int: AsyncStream<LedgerOutage?>.Continuation] = [:]

    /// Tells whoever follows the outages; within the lock, so that nothing later comes first: nobody
    /// reads here.
    func publish() {
      for subscriber in subscribers.values { subscriber.yield(presence.outage) }
    }
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
  /// - Parameters:
  ///   - needsRoom: Whether it keeps something that can be done without: that there is no room for it
  ///     is no outage then.
  ///   - body: Does it; it may be called once more where the connection had ended.
  /// - Returns: What came of it.
  nonisolated func perform<R: Sendable>(
    needingRoom needsRoom: Bool = false,
    _ body: @escaping @Sendable (SharedSession) throws(RedisError) -> R
  ) async -> SharedOutcome<R> {
    guard outage == nil else { return .gone }
    let (ends, end) = AsyncStream<SharedOutcome<R>>.makeStream(
      bufferingPolicy: .bufferingOldest(1)
    )
    Task { end.yield(await execute(needingRoom: needsRoom, body)) }
    let timer = Task {
      guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
      fail(RedisError(.unreachable, "Redis does not answer"))
      end.yield(.gone)
    }
    defer { timer.cancel() }
    for await outcome in ends { return outcome }
    return .cancelled
  }

  private func execute<R: Sendable>(
    needingRoom needsRoom: Bool,
    _ body: (SharedSession) throws(RedisError) -> R
  ) -> SharedOutcome<R> {
    guard outage == nil else { return .gone }
    do throws(RedisError) {
      guard let known = session else { return .done(try body(connected())) }
      do throws(RedisError) {
        return .done(try body(known))
      } catch {
        // A server ends connections that nobody has used for long.
        guard error.kind == .ended, !isClosed else { throw error }
        return .done(try body(connected()))
      }
    } catch {
      if needsRoom, SharedVerdict(error) == .fullness { return .full(error.description) }
      session = nil
      fail(error)
      return .gone
    }
  }

  /// Tries now whether the server can be used.
  ///
  /// - Returns: Why not; `nil` where it can.
  nonisolated func look() async -> LedgerOutage? {
    _ = await perform { _ in }
    return outage
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

  /// By how much that clock may be ahead of ``now``.
  nonisolated var lag: Duration {
    let moment = Clocks.steady
    return state.withLock { $0.clock.lag(at: moment) }
  }

  // MARK: - Its absence

  /// Why the server cannot be used; `nil` while it can, or nobody has tried.
  nonisolated var outage: LedgerOutage? { state.withLock { $0.presence.outage } }

  /// The same, now and at each change.
  nonisolated func outages() -> AsyncStream<LedgerOutage?> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number: Int? = state.withLock { state in
        continuation.yield(state.presence.outage)
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
    let now = ContinuousClock.now
    let isRefusal = SharedVerdict(error) == .refusal
    let outage = LedgerOutage(
      place: name,
      reason: error.description,
      began: now,
      isRefusal: isRefusal
    )
    let isNew = state.withLock { state in
      guard !state.isClosed, state.presence.lose(outage, now: now) else { return false }
      state.publish()
      return true
    }
    guard isNew else { return }
    Task { [weak self] in
      repeat {
        guard let pause = self?.nextPause() else { return }
        try? await Task.sleep(for: pause)
      } while await self?.lookForReturn() == false
    }
  }

  private nonisolated func nextPause() -> Duration {
    state.withLock { $0.presence.nextPause() }
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
      state.presence.find(now: .now)
      state.publish()
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
