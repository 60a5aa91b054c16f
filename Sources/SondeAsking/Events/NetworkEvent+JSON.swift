public import SondeReachability
public import SondeRecords
import SondeSystem

extension NetworkEvent {
  /// The event as a JSON line of `watch`.
  public var json: [UInt8] {
    switch self {
    case .network(let transition): transition.event.line
    case .endpoint(let transition): transition.endpointEvent.line
    case .interface(let change): change.event.line
    }
  }
}

extension NetworkTransition {
  /// The change as a `network` event.
  public var event: JSONObject {
    let moment = Timestamp(milliseconds: began.wall.milliseconds)
    var event = JSONObject(event: "network", at: moment)
    event.add("state", verdict.state)
    if let previous { event.add("previous", previous.state) }
    if let cause = verdict.causeName { event.add("cause", cause) }
    if let interface { event.add("interface", interface) }
    event.add("endpoint", endpoint)
    event.add("message", words)
    if let downTime { event.add("down_ms", downTime.milliseconds) }
    if let degradedTime { event.add("degraded_ms", degradedTime.milliseconds) }
    quality?.add(to: &event)
    return event
  }
}

extension NetworkTransition {
  /// The change as an `endpoint` event, of one of several endpoints.
  public var endpointEvent: JSONObject {
    let moment = Timestamp(milliseconds: began.wall.milliseconds)
    var event = JSONObject(event: "endpoint", at: moment)
    event.add("endpoint", endpoint)
    event.add("state", verdict.state)
    if let previous { event.add("previous", previous.state) }
    if let cause = verdict.causeName { event.add("cause", cause) }
    if let interface { event.add("interface", interface) }
    if let degradedTime { event.add("degraded_ms", degradedTime.milliseconds) }
    (quality ?? connect.map { PathQuality(loss: nil, connect: $0) })?.add(to: &event)
    return event
  }
}

extension PathQuality {
  /// Adds the figures that are known.
  fileprivate func add(to event: inout JSONObject) {
    if let loss { event.add("loss", loss) }
    if let connect { event.add("connect_ms", connect.milliseconds) }
  }
}

extension InterfaceChange {
  /// The change as an `interface` event; one that has disappeared is down and has no addresses.
  public var event: JSONObject {
    let moment = Timestamp(milliseconds: at.wall.milliseconds)
    var event = JSONObject(event: "interface", at: moment)
    interface.addState(to: &event)
    return event
  }
}

extension Interface {
  /// Adds the state of an interface, for events and `status`.
  func addState(to object: inout JSONObject) {
    object.add("name", name)
    object.add("up", isUp)
    object.add("running", isRunning)
    object.add("link", link.rawValue)
    object.add("wireless", isWireless)
    object.add("addresses", addresses.map { "\($0)" })
  }
}

extension NetworkTransition {
  /// What happened, in plain words.
  public var words: String {
    if let cause = verdict.cause, let reason {
      return escapedForPerson("\(reason) (\(cause.rawValue))")
    }
    if case .degraded(let cause) = verdict { return cause.words(with: quality) }
    let atLeast = isEndUnseen ? "at least " : ""
    if let degradedTime, downTime == nil {
      return "good again after \(atLeast)\(degradedTime.exact)"
    }
    if let reach, downTime == nil { return reach.words }
    guard let downTime else { return "the path to \(escapedForPerson(endpoint)) is open" }
    return "back after \(atLeast)\(downTime.exact)"
  }
}

extension DegradedCause {
  /// The cause with its figure: `lossy: 35 % lost`, `slow: 412 ms`.
  fileprivate func words(with quality: PathQuality?) -> String {
    switch self {
    case .lossy:
      let percent = quality?.loss.map { ": \(Int(($0 * 100).rounded())) % lost" } ?? ""
      return rawValue + percent
    case .slow: return rawValue + (quality?.connect.map { ": \($0.milliseconds) ms" } ?? "")
    }
  }
}

extension Duration {
  /// The time with milliseconds if it is short: `4.122 s`, and `4 min 20 s` from a minute on.
  fileprivate var exact: String {
    guard self < .seconds(60) else { return forPerson }
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let digits = String(rest)
    return "\(seconds).\(String(repeating: "0", count: 3 - digits.count))\(digits) s"
  }
}
