import SondeSystem
internal import Synchronization

/// Sends events to pages by streams that resume after a break (Server-Sent Events); an event may
/// belong to one user.
public final class EventHub: Sendable {
  /// The resources that streams may use.
  public struct Limits: Sendable {
    /// The largest number of streams.
    public var streams = 1024
    /// The largest number of streams per user.
    public var streamsOfUser = 32
    /// The number of events kept for streams that resume.
    public var kept = 1000
    /// The number of unsent bytes at which a slow client's stream is closed.
    public var behind = 256 << 10
    /// The interval of heartbeats, which show proxies and pages that the stream is alive.
    public var heartbeat: Duration = .seconds(15)

    /// Creates the default limits.
    public init() {}
  }

  fileprivate struct Subscriber {
    let user: String
    let session: String
    /// When the session expires.
    let end: ContinuousClock.Instant?
    let channel: ByteChannel
    let topics: Set<String>
    /// Events held back until the initial states are sent; `nil` afterwards.
    var held: [UInt8]?
  }

  fileprivate struct State {
    var log: EventLog
    var subscribers: [ObjectIdentifier: Subscriber] = [:]
  }

  private let limits: Limits
  private let state: Mutex<State>
  private let heartbeat = Mutex<Task<Void, Never>?>(nil)

  /// Creates a hub without streams.
  public init(_ limits: Limits = Limits()) {
    self.limits = limits
    // IDs keep rising after a restart of the server, unless the clock is set back.
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

  /// The number of open streams.
  public var streams: Int { state.withLock { $0.subscribers.count } }

  /// The number of open streams of each user who has any.
  public var streamsOfUsers: [String: Int] {
    let users = state.withLock { $0.subscribers.values.map(\.user) }
    return Dictionary(users.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Sends an event to all streams that may receive it, and keeps it for those that resume.
  public func tell(_ event: ServerEvent) {
    let cut = state.withLock { state in
      if let topic = event.topic {
        return state.send(event.bytes(id: nil), bound: limits.behind) {
          $0.topics.contains(topic) && (event.owner == nil || event.owner == $0.user)
        }
      }
      let entry = state.log.append(event)
      return state.send(entry.bytes, bound: limits.behind) { entry.isFor($0.user) }
    }
    for channel in cut { channel.abort() }
  }

  /// Closes the streams of a session.
  public func endStreams(ofSession session: String) { end { $0.session == session } }

  /// Closes the streams of a user.
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
  /// Sends bytes to some streams, and returns those that are too far behind.
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
  /// Opens a stream of everybody's events and those of a user, which ends with the session.
  ///
  /// The request may contain the position to resume from. The `states` are sent first, without IDs.
  /// It also has the events about some `topics`. The `lifetime` left to the session is rounded up to the next heartbeat; `nil` if unlimited.
  /// - Throws: ``Problem`` with 503 if too many streams are open.
  public func stream(
    to request: Request,
    user: String,
    session: String,
    lasting lifetime: Duration? = nil,
    about topics: Set<String> = [],
    beginningWith states: @Sendable () async throws -> [ServerEvent]
  ) async throws -> Response {
    let channel = ByteChannel(isEndless: true)
    let subscriber = Subscriber(
      user: user,
      session: session,
      end: lifetime.map { .now + $0 },
      channel: channel,
      topics: topics
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
    // Otherwise nginx would buffer events.
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

  /// Sends the states, and the events since the subscription.
  private func begin(_ channel: ByteChannel, with states: [UInt8]) {
    state.withLock { state in
      let held = state.subscribers[ObjectIdentifier(channel)]?.held ?? []
      // By default, browsers wait three seconds.
      _ = channel.offer(Array("retry: 1000\n\n".utf8) + states + held, bound: .max)
      state.subscribers[ObjectIdentifier(channel)]?.held = nil
    }
  }

  private func forget(_ channel: ByteChannel) {
    state.withLock { $0.subscribers[ObjectIdentifier(channel)] = nil }
  }
}

extension EventLog {
  /// The bytes to send first to a stream that resumes.
  fileprivate func resumption(after lastID: String, user: String) -> [UInt8] {
    guard !lastID.isEmpty else { return [] }
    if let id = UInt64(lastID), let missed = missed(since: id, by: user) {
      return missed.flatMap(\.bytes)
    }
    // So that the next resumption starts here.
    return ServerEvent("reset", data: "{}").bytes(id: self.lastID)
  }
}
