import SondeRedis
import SondeSystem
import Synchronization

/// The result of a call on the shared server.
enum SharedOutcome<Result: Sendable>: Sendable {
  case done(Result)
  /// The server is unavailable; ``SharedLink/outage`` explains why.
  case gone
  /// It has no space for new data, with its message.
  case full(String)
  /// The task was cancelled while it waited; the call continues nevertheless.
  case cancelled

  var result: Result? { if case .done(let result) = self { result } else { nil } }

  var update: LedgerUpdate<Result> {
    switch self {
    case .done(let result): .made(result)
    case .gone, .full: .unreachable
    case .cancelled: .cancelled
    }
  }
}

/// The link to the shared server: connects, detects its loss and looks for its return.
///
/// Its calls run sequentially on a separate thread. While the server is unavailable they fail at
/// once, and a hanging call is waited for at most ``patience``.
actor SharedLink {
  /// The time limit for each step of a connection.
  private static let limit = Duration.seconds(1)
  /// How long to wait for a call, including those before it.
  private static let patience = Duration.seconds(3)
  /// The largest number of redirections between nodes of a cluster.
  private static let mostRedirections = 5

  private struct State {
    var presence = SharedPresence()
    var clock = SharedClock()
    var isClosed = false
    var interrupt: @Sendable () -> Void = {}
  }

  private let executor = BlockingExecutor(label: "sonde.shared")
  private let access: RedisAccess
  private nonisolated let state = Mutex(State())
  /// Sent under the lock, so that no later outage precedes it.
  private nonisolated let outageStreams = Broadcast<LedgerOutage?>()
  private var session: SharedSession?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names the server, which is connected to on first use.
  init(to access: RedisAccess) { self.access = access }

  /// The name of the server, without a user name.
  nonisolated var name: String { access.place.description }

  // MARK: - Using it

  /// Runs a body with the server, after earlier ones.
  ///
  /// - Parameters:
  ///   - needsRoom: Whether it stores optional data, so that a full server is not an outage.
  ///   - body: The work, which may be repeated if the connection had ended.
  /// - Returns: The result.
  nonisolated func perform<R: Sendable>(
    needingRoom needsRoom: Bool = false,
    _ body: @escaping @Sendable (SharedSession) throws(RedisError) -> R
  ) async -> SharedOutcome<R> {
    guard outage == nil else { return .gone }
    let (ends, end) = AsyncStream<SharedOutcome<R>>.makeStream(bufferingPolicy: .bufferingOldest(1))
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
        if case .moved(let redirect) = SharedVerdict(error), !isClosed {
          return .done(try body(connected(to: redirect.target(from: known.server))))
        }
        // Servers close connections that are idle for long.
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

  /// Checks now whether the server is usable; `nil` if it is.
  nonisolated func look() async -> LedgerOutage? {
    _ = await perform { _ in }
    return outage
  }

  /// Connects to the current server, or to a node of its cluster, and follows it to the node that
  /// has the keys.
  private func connected(to node: RedisPlace.Socket? = nil) throws(RedisError) -> SharedSession {
    session = nil
    let start = if let node { node } else { try access.server(limit: Self.limit) }
    let fresh = try session(at: start, redirections: Self.mostRedirections)
    let (time, sent, received) = fresh.reading
    learn(time, sent: sent, received: received)
    state.withLock { $0.interrupt = fresh.interrupt }
    session = fresh
    return fresh
  }

  private func session(
    at server: RedisPlace.Socket,
    redirections left: Int
  ) throws(RedisError) -> SharedSession {
    do throws(RedisError) {
      return try SharedSession(access, at: server, limit: Self.limit)
    } catch {
      guard case .moved(let redirect) = SharedVerdict(error) else { throw error }
      guard left > 0, let target = redirect.target(from: server) else {
        throw RedisError(.unreachable, error.description)
      }
      return try session(at: target, redirections: left - 1)
    }
  }

  // MARK: - Its clock

  /// Learns from a reading of the server's clock; moments of this machine are by ``Clocks/steady``.
  nonisolated func learn(_ time: Duration, sent: Duration, received: Duration) {
    state.withLock { $0.clock.learn(time, sent: sent, received: received) }
  }

  /// The estimated current time of the server's clock.
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

  /// Why the server is unusable; `nil` if it is usable or untested.
  nonisolated var outage: LedgerOutage? { state.withLock { $0.presence.outage } }

  nonisolated func outages() -> AsyncStream<LedgerOutage?> {
    state.withLock { outageStreams.stream(limit: 1, beginningWith: .some($0.presence.outage)) }
  }

  private nonisolated var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Records the loss of the server, and starts to look for its return.
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
      outageStreams.send(state.presence.outage)
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

  private nonisolated func nextPause() -> Duration { state.withLock { $0.presence.nextPause() } }

  /// Tries to connect; returns whether no further attempt is needed.
  private func lookForReturn() -> Bool {
    if isClosed { return true }
    do throws(RedisError) {
      _ = try connected()
    } catch {
      return false
    }
    state.withLock { state in
      state.presence.find(now: .now)
      outageStreams.send(state.presence.outage)
    }
    return true
  }

  // MARK: - Closing

  /// Closes the link within a second.
  nonisolated func close() async {
    // Running calls are finished, unless they hang.
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
    let interrupt = state.withLock { state in
      state.isClosed = true
      return state.interrupt
    }
    interrupt()
    outageStreams.close()
  }

  private func finish() {
    state.withLock { $0.isClosed = true }
    session = nil
  }
}
