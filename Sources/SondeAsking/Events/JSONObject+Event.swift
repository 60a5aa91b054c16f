public import SondeRecords
public import SondeSystem

extension JSONObject {
  /// Creates an event with a name and a time, the members common to all events.
  public init(event: String, at moment: Timestamp = .now) {
    self.init()
    add("event", event)
    add("at", moment.withMilliseconds)
  }
}
