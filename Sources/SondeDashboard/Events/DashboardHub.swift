import SondeRecords
import SondeSystem

/// An event for the clients of the dashboard.
public struct DashboardEvent: Sendable, Equatable {
  /// The subject of an event.
  public enum Kind: String, Sendable, CaseIterable {
    case network, scan, lookup, watch, log, deleted
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

  /// The id of the log that it is about, which only those hear of who asked for it.
  public var topic: String?

  package init(kind: Kind, user: String?, json: [UInt8]) {
    (self.kind, self.user, self.json) = (kind, user, json)
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

  private let broadcast = Broadcast<DashboardEvent>()

  /// Creates a hub without subscribers.
  public init() {}

  /// The events from now on, until the reading task is cancelled or the hub is closed.
  public func events() -> AsyncStream<DashboardEvent> { broadcast.stream(limit: Self.buffer) }

  /// Sends an event to all subscribers.
  public func publish(_ event: DashboardEvent) { broadcast.send(event) }

  /// Ends all streams.
  public func close() { broadcast.close() }
}
