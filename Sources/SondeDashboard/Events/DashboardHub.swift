import SondeRecords
import Synchronization

/// An event for the clients of the dashboard.
public struct DashboardEvent: Sendable, Equatable {
  /// The subject of an event.
  public enum Kind: String, Sendable, CaseIterable {
    case network, scan, lookup, watch, deleted
  }

  /// An object that can be deleted or expire.
  package enum Thing: String {
    case scan, lookup, watch, token
  }

  /// The subject.
  public let kind: Kind

  /// The owner; `nil` if it concerns everybody.
  public let user: String?

  /// The event as a JSON object.
  public let json: [UInt8]

  package init(kind: Kind, user: String?, json: [UInt8]) {
    self.kind = kind
    self.user = user
    self.json = json
  }

  /// Creates the event of a deletion; without a name, everything of the kind was deleted.
  package static func deleted(_ thing: Thing, _ name: String?, of user: String) -> DashboardEvent {
    var object = JSONObject()
    object.add("kind", thing.rawValue)
    object.add(thing == .lookup ? "ip" : "id", optional: name)
    return DashboardEvent(kind: .deleted, user: user, json: object.bytes)
  }
}

/// Publishes changes to all subscribers.
public final class DashboardHub: Sendable {
  /// Events buffered for a slow subscriber; the oldest are dropped.
  private static let buffer = 1_000

  private struct State {
    var lastID: UInt64 = 0
    var streams: [UInt64: AsyncStream<DashboardEvent>.Continuation] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates a hub without subscribers.
  public init() {}

  /// All events from now on, until the receiving task is cancelled or the hub is closed.
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

  /// Publishes an event.
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
