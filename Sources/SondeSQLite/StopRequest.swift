import Synchronization

/// A request to end what is read from databases, made from any thread.
public final class StopRequest: Sendable {
  private let made = Atomic(false)

  /// Creates a request that has not been made.
  public init() {}

  /// Whether it has been made.
  public var isMade: Bool { made.load(ordering: .relaxed) }

  /// Makes it.
  public func make() { made.store(true, ordering: .relaxed) }
}
