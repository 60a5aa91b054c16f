public import SondeRecords
public import SondeSystem

extension JSONObject {
  /// Begins an event, with the members that all of them have.
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
