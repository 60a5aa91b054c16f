public import SondeRecords
public import SondeSystem

extension JSONObject {
  /// Creates an event with the members common to all events.
  ///
  /// - Parameters:
  ///   - event: Its name.
  ///   - moment: When it happened.
  public init(event: String, at moment: Timestamp = .now) {
    self.init()
    add("event", event)
    add("at", moment.withMilliseconds)
  }
}
