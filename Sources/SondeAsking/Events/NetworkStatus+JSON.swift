public import SondeReachability
public import SondeRecords

extension NetworkStatus {
  /// One JSON object, for scripts.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("state", state?.verdict.state ?? "offline")
    if let cause = state?.verdict.causeName { object.add("cause", cause) }
    if let interface = state?.interface { object.add("interface", interface) }
    object.add("endpoint", endpoint)
    object.add("layers", objects: layers.map(\.json))
    object.add("interfaces", objects: interfaces.map(\.json))
    if !degradations.isEmpty { object.add("degraded", degradations.map(\.words)) }
    return object
  }
}

extension NetworkStatus.Layer {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("name", name.rawValue)
    object.add("state", condition.rawValue)
    object.add("message", words)
    return object
  }
}

extension Interface {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    addState(to: &object)
    object.add("kind", kind.rawValue)
    object.add("counts", !kind.isVirtual)
    return object
  }
}
