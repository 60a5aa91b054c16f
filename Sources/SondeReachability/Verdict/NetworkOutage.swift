/// The loss of something other than the endpoint that requests need, such as a shared store.
public struct NetworkOutage: Hashable, Sendable {
  /// The location of what is lost.
  public let place: String
  /// Why it is unavailable, in plain words.
  public let reason: String

  /// Creates the description of an outage.
  public init(place: String, reason: String) { (self.place, self.reason) = (place, reason) }
}
