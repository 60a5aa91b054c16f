/// Something besides the endpoint that requests need, and that is gone: a store that machines share.
public struct NetworkOutage: Hashable, Sendable {
  /// Where it should be.
  public let place: String
  /// Why it cannot be used, for a person.
  public let reason: String

  /// Describes an outage.
  public init(place: String, reason: String) { (self.place, self.reason) = (place, reason) }
}
