import Reachability
import Records

extension NetworkTransition {
  /// The change as a `network` event.
  var event: JSONObject {
    let moment = Timestamp(milliseconds: began.wall.milliseconds)
    var event = JSONObject(event: "network", at: moment)
    event.add("state", verdict.state)
    if let previous { event.add("previous", previous.state) }
    if let cause = verdict.cause { event.add("cause", cause.rawValue) }
    if let interface { event.add("interface", interface) }
    event.add("endpoint", endpoint)
    event.add("message", words)
    if let downTime { event.add("down_ms", downTime.milliseconds) }
    return event
  }
}

extension InterfaceChange {
  /// The change as an `interface` event; one that is gone is down and has no addresses.
  var event: JSONObject {
    let moment = Timestamp(milliseconds: at.wall.milliseconds)
    var event = JSONObject(event: "interface", at: moment)
    interface.addState(to: &event)
    return event
  }
}

extension Interface {
  /// Adds what events and `status` tell of an interface.
  func addState(to object: inout JSONObject) {
    object.add("name", name)
    object.add("up", isUp)
    object.add("running", isRunning)
    object.add("link", link.rawValue)
    object.add("wireless", isWireless)
    object.add("addresses", addresses.map { "\($0)" })
  }
}
