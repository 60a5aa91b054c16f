public import SondeRecords

/// A provider that a scan may name, or why it cannot be asked.
public struct ProviderChoice: Sendable, Equatable {
  /// The name in `--provider`.
  public let name: String

  /// The name for people.
  public let label: String

  /// What it lacks, such as a key or a database; `nil` if it can be asked.
  public var lack: String?

  /// Describes a provider.
  public init(name: String, label: String, lack: String? = nil) {
    (self.name, self.label, self.lack) = (name, label, lack)
  }

  /// The JSON object of the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("label", label)
    object.add("available", lack == nil)
    object.add("detail", optional: lack)
    return object
  }
}
