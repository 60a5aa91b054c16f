public import SondeRecords
public import SondeSystem

/// The state of a scan at one moment.
public struct ScanInfo: Sendable {
  /// Its identifier: 128 random bits.
  public let id: String

  /// Its owner.
  public let user: String

  /// The displayed name.
  public let name: String

  /// The format of its input; the requested one until it is detected.
  public let form: InputForm

  /// Its state.
  public let state: ScanLife.State

  /// What it waits for.
  public let waiting: ScanLife.Waiting?

  /// Why it failed, that its records are locked, or that its input is empty.
  public let detail: String?

  /// Whether its current or last run asks for rows again.
  public let isRetry: Bool

  /// The list of providers; `nil` for the default one.
  public let provider: String?

  /// The time of creation.
  public let createdAt: Timestamp

  /// The bytes of its input as received.
  public let bytes: Int

  /// The entries of its input; `nil` before they are counted.
  public let total: Int?

  /// The results of the entries.
  public let counts: ScanCounts?

  /// Recent records per second; `nil` while it is idle.
  public let rate: Double?

  /// Requests that the quota of the first web API currently allows.
  public let quota: Int?

  /// The estimated time left, in seconds.
  public let secondsLeft: Int?

  /// The result of `plan` as a JSON object.
  public let plan: [UInt8]?

  /// The scan as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.add("name", name)
    object.add("as", form.rawValue)
    addState(to: &object)
    object.add("detail", optional: detail)
    object.add("provider", optional: provider)
    object.add("created_at", createdAt.withMilliseconds)
    object.add("bytes", bytes)
    object.add("total", optional: total)
    addProgress(to: &object)
    object.add("quota", optional: quota)
    object.add("seconds_left", optional: secondsLeft)
    object.add("plan", json: plan ?? Array("null".utf8))
    return object
  }

  /// The event for the clients of the dashboard.
  public var event: JSONObject {
    var object = JSONObject()
    object.add("id", id)
    addState(to: &object)
    addProgress(to: &object)
    return object
  }

  private func addState(to object: inout JSONObject) {
    object.add("state", state.rawValue)
    object.add("waiting", optional: waiting?.rawValue)
  }

  private func addProgress(to object: inout JSONObject) {
    object.add("counts", json: counts?.json.bytes ?? Array("null".utf8))
    if let rate { object.add("rate", rate) } else { object.addNull("rate") }
  }
}

extension JSONObject {
  /// Adds an array of JSON values.
  package mutating func add(_ name: String, array items: [[UInt8]]) {
    let joined = items.joined(separator: [UInt8(ascii: ",")])
    add(name, json: [UInt8(ascii: "[")] + joined + [UInt8(ascii: "]")])
  }

  /// Adds an integer, or null.
  mutating func add<Number: FixedWidthInteger>(_ name: String, optional value: Number?) {
    if let value { add(name, value) } else { addNull(name) }
  }

  /// Adds a text, or null.
  package mutating func add(_ name: String, optional value: String?) {
    if let value { add(name, value) } else { addNull(name) }
  }
}
