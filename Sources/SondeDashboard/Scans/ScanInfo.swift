public import SondeRecords
public import SondeSystem

/// A scan as it is at a moment.
public struct ScanInfo: Sendable {
  /// What it is known by: 128 random bits.
  public let id: String

  /// Whose it is.
  public let user: String

  /// What a person calls it.
  public let name: String

  /// How its input is read; until that is known, how it was to be.
  public let form: InputForm

  /// Its state.
  public let state: ScanLife.State

  /// What it waits for.
  public let waiting: ScanLife.Waiting?

  /// Why it failed, that its records are locked, or that there is nothing in it.
  public let detail: String?

  /// Whether it asks, or asked last, for rows again.
  public let isRetry: Bool

  /// Who is asked, as the list of names; `nil` for the usual ones.
  public let provider: String?

  /// When it was made.
  public let createdAt: Timestamp

  /// The bytes of its input, as it came.
  public let bytes: Int

  /// The entries of its input; `nil` before they were counted.
  public let total: Int?

  /// The results of the entries.
  public let counts: ScanCounts?

  /// Records a second, lately; `nil` while nothing is done.
  public let rate: Double?

  /// Requests that the quota of the first web API allows at the moment.
  public let quota: Int?

  /// About how many seconds are left.
  public let secondsLeft: Int?

  /// What `plan` says, as a JSON object.
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
    if let total { object.add("total", total) } else { object.addNull("total") }
    addProgress(to: &object)
    if let quota { object.add("quota", quota) } else { object.addNull("quota") }
    if let secondsLeft {
      object.add("seconds_left", secondsLeft)
    } else {
      object.addNull("seconds_left")
    }
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
  /// Adds a text, or that there is none.
  package mutating func add(_ name: String, optional value: String?) {
    if let value { add(name, value) } else { addNull(name) }
  }
}
