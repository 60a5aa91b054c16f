import SondeSystem

internal import Synchronization
internal import SondeSystem

/// Tells many pages of events, each of its user's own, by streams that resume where they broke
/// (Server-Sent Events).
public final class EventHub: Sendable {
  /// What streams may use up.
  public struct Limits: Sendable {
    /// How many streams there may be.
    public var streams = 1024
    /// How many streams a user may have.
    public var streamsOfUser = 32
    /// How many events are kept for streams that resume.
    public var kept = 1000
    /// How many bytes a client may be behind, before its stream is cut.
    public var behind = 256 << 10
    /// How often something is sent, so that proxies and pages know that the stream lives.
    public var heartbeat: Duration = .seconds(15)

    /// The usual limits.
    public init() {}
  }

  fileprivate struct Subscriber {
    let user: String
    let session: String
    /// When the session ends by its age.
    let end: ContinuousClock.Instant?
    let channel: ByteChannel
    /// What comes behind the states that the stream begins with; `nil` once those are sent.
    var held: [UInt8]?
  }

  fileprivate struct State {
    var log: EventLog
    var subscribers: [ObjectIdentifier: Subscriber] = [:]
  }

  private let limits: Limits
  private let state: Mutex<State>
  private let heartbeat = Mutex<Task<Void, Never>?>(nil)

  /// Makes a hub without streams.
  public init(_ limits: Limits = Limits()) {
    self.limits = limits
    // Ids go on rising when the server is started again, unless the clock is set back.
    let (seconds, attoseconds) = Clocks.wall.components
    let lastID = UInt64(max(seconds, 0)) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    state = Mutex(State(log: EventLog(capacity: limits.kept, lastID: lastID)))
    let interval = limits.heartbeat
    let task = Task { [weak self] in
      while (try? await Task.sleep(for: interval)) != nil { self?.beat() }
    }
    heartbeat.withLock { $0 = task }
  }

  deinit { heartbeat.withLock { $0?.cancel() } }

  /// How many streams are open.
  public var streams: Int { state.withLock { $0.subscribers.count } }

  /// Tells all streams whose user may know, and keeps the event for those that resume.
  public func tell(_ event: ServerEvent) {
    let cut = state.withLock { state in
      let entry = state.log.append(event)
      return state.send(entry.bytes, bound: limits.behind) { entry.isFor($0.user) }
    }
    for channel in cut { channel.abort() }
  }

  /// Ends the streams of a session, as when it ends.
  public func endStreams(ofSession session: String) { end { $0.session == session } }

  /// Ends the streams of a user.
  public func endStreams(ofUser user: String) { end { $0.user == user } }

  private func end(where isMeant: (Subscriber) -> Bool) {
    let channels = state.withLock { state in
      let ended = state.subscribers.filter { isMeant($0.value) }
      for id in ended.keys { state.subscribers[id] = nil }
      return ended.values.map(\.channel)
    }
    for channel in channels { channel.finish() }
  }

  private func beat() {
    end { $0.end.map { $0 <= .now } ?? false }
    let cut = state.withLock { state in
      state.send(Array(":\n\n".utf8), bound: limits.behind) { _ in true }
    }
    for channel in cut { channel.abort() }
  }
}

extension EventHub.State {
  /// Sends bytes to some.
  /// - Returns: Those that are too far behind.
  fileprivate mutating func send(
    _ bytes: [UInt8],
    bound: Int,
    to isMeant: (EventHub.Subscriber) -> Bool
  ) -> [ByteChannel] {
    var cut: [ByteChannel] = []
    for (id, subscriber) in subscribers where isMeant(subscriber) {
      if subscriber.held != nil {
        subscribers[id]?.held? += bytes
      } else if !subscriber.channel.offer(bytes, bound: bound) {
        subscribers[id] = nil
        cut.append(subscriber.channel)
      }
    }
    return cut
  }
}

// MARK: - Streams

extension EventHub {
  /// Opens a stream.
  ///
  /// - Parameters:
  ///   - request: The request, which may say where it resumes.
  ///   - user: Whose events it tells, beside everybody's.
  ///   - session: The session that it ends with.
  ///   - lifetime: How long that lasts yet, to the next heartbeat; `nil` where it has no end of its own.
  ///   - states: What it begins with: the present states, without ids.
  /// - Returns: The answer.
  /// - Throws: ``Problem`` with 503 where too many are open.
  public func stream(
    to request: Request,
    user: String,
    session: String,
    lasting lifetime: Duration? = nil,
    beginningWith states: @Sendable () async throws -> [ServerEvent]
  ) async throws -> Response {
    let channel = ByteChannel(isEndless: true)
    let subscriber = Subscriber(
      user: user,
      session: session,
      end: lifetime.map { .now + $0 },
      channel: channel
    )
    try subscribe(subscriber, resuming: request.headers["Last-Event-ID"])
    channel.onClose { [weak self] in self?.forget(channel) }
    do {
      let states = try await states()
      begin(channel, with: states.flatMap { $0.bytes(id: nil) })
    } catch {
      forget(channel)
      throw error
    }
    var response = Response(status: 200, type: "text/event-stream", body: .channel(channel))
    // nginx would hold events back.
    response.headers["X-Accel-Buffering"] = "no"
    return response
  }

  private func subscribe(_ subscriber: Subscriber, resuming lastID: String?) throws(Problem) {
    let user = subscriber.user
    let problem = state.withLock { state -> Problem? in
      guard state.subscribers.count < limits.streams else { return .busy("too many event streams") }
      let own = state.subscribers.values.count { $0.user == user }
      guard own < limits.streamsOfUser else { return .busy("too many event streams of one user") }
      var newcomer = subscriber
      newcomer.held = lastID.map { state.log.resumption(after: $0, user: user) } ?? []
      state.subscribers[ObjectIdentifier(newcomer.channel)] = newcomer
      return nil
    }
    if let problem { throw problem }
  }

  /// Sends the states, and what has come since it was subscribed.
  private func begin(_ channel: ByteChannel, with states: [UInt8]) {
    state.withLock { state in
      let held = state.subscribers[ObjectIdentifier(channel)]?.held ?? []
      // Browsers wait three seconds by themselves.
      _ = channel.offer(Array("retry: 1000\n\n".utf8) + states + held, bound: .max)
      state.subscribers[ObjectIdentifier(channel)]?.held = nil
    }
  }

  private func forget(_ channel: ByteChannel) {
    state.withLock { $0.subscribers[ObjectIdentifier(channel)] = nil }
  }
}

extension EventLog {
  /// What a stream that resumes is sent.
  fileprivate func resumption(after lastID: String, user: String) -> [UInt8] {
    guard !lastID.isEmpty else { return [] }
    if let id = UInt64(lastID), let missed = missed(since: id, by: user) {
      return missed.flatMap(\.bytes)
    }
    // So that the next time it resumes here.
    return ServerEvent("reset", data: "{}").bytes(id: self.lastID)
  }
}
