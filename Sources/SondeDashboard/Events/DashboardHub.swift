import SondeRecords
import Synchronization

/// Something that those who watch the dashboard are told.
public struct DashboardEvent: Sendable, Equatable {
  /// What it is about.
  public enum Kind: String, Sendable, CaseIterable {
    case network, scan, lookup, watch, deleted
  }

  /// What a person deletes, or what is too old.
  package enum Thing: String {
    case scan, lookup, watch, token
  }

  /// What it is about.
  public let kind: Kind

  /// Whose it is; `nil` for everybody's.
  public let user: String?

  /// The event as a JSON object.
  public let json: [UInt8]

  /// Makes one of its parts.
  package init(kind: Kind, user: String?, json: [UInt8]) {
    self.kind = kind
    self.user = user
    self.json = json
  }

  /// That something is gone.
  ///
  /// - Parameters:
  ///   - thing: What it was.
  ///   - name: Its id, or the address of a look-up; `nil` where it was all of them.
  ///   - user: Whose it was.
  /// - Returns: The event.
  package static func deleted(_ thing: Thing, _ name: String?, of user: String) -> DashboardEvent {
    var object = JSONObject()
    object.add("kind", thing.rawValue)
    object.add(thing == .lookup ? "ip" : "id", optional: name)
    return DashboardEvent(kind: .deleted, user: user, json: object.bytes)
  }
}

/// Tells everybody who watches what changes.
public final class DashboardHub: Sendable {
  /// Events that are kept for one who does not take them; the oldest go first.
  private static let buffer = 1_000

  private struct State {
    var lastID: UInt64 = 0
    var streams: [UInt64: AsyncStream<DashboardEvent>.Continuation] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Makes a hub that nobody watches.
  public init() {}

  /// What happens from now on, until the task that takes it is cancelled or the hub is closed.
  public func events() -> AsyncStream<DashboardEvent> {
    let policy = AsyncStream<DashboardEvent>.Continuation.BufferingPolicy
      .bufferingNewest(Self.buffer)
    let (stream, continuation) = AsyncStream.makeStream(
      of: DashboardEvent.self,
      bufferingPolicy: policy
    )
    let id: UInt64? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      state.streams[state.lastID] = continuation
      return state.lastID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
    }
    return stream
  }

  /// Tells an event.
  public func publish(_ event: DashboardEvent) {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(event) }
  }

  /// Ends all streams.
  public func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
