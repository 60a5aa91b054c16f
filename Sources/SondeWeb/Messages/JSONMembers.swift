/// The members of a request's JSON object, checked for known names and types.
public struct JSONMembers: Sendable {
  private let values: [String: JSON]

  /// Checks the members of an object, which may only have the known names.
  ///
  /// - Throws: ``Problem`` with 422 if it is not an object, with 400 if a name is unknown.
  init(_ value: JSON, known: [String]) throws(Problem) {
    guard case .object(let members) = value else { throw .invalid("the body must be an object") }
    for (name, _) in members where !known.contains(name) {
      throw .malformed("the body has “\(name)”, which is not known")
    }
    // The reader refuses duplicate names.
    values = Dictionary(members) { first, _ in first }
  }

  /// Whether a member exists and is not null.
  public func has(_ name: String) -> Bool { values[name].map { $0 != .null } ?? false }

  /// A required string.
  /// - Throws: ``Problem`` with 422.
  public func string(_ name: String) throws(Problem) -> String {
    guard let value = try optionalString(name) else { throw .invalid("“\(name)” is missing") }
    return value
  }

  /// An optional string; `nil` if missing or null.
  /// - Throws: ``Problem`` with 422 for anything else.
  public func optionalString(_ name: String) throws(Problem) -> String? {
    try optional(name, "a text", \.text)
  }

  /// An optional boolean; `nil` if missing or null.
  /// - Throws: ``Problem`` with 422 for anything else.
  public func optionalBoolean(_ name: String) throws(Problem) -> Bool? {
    try optional(name, "true or false") { if case .bool(let value) = $0 { value } else { nil } }
  }

  /// An optional integer; `nil` if missing or null.
  /// - Throws: ``Problem`` with 422 for anything else.
  public func optionalInteger(_ name: String) throws(Problem) -> Int64? {
    try optional(name, "a whole number") { if case .integer(let value) = $0 { value } else { nil } }
  }

  private func optional<Value>(
    _ name: String,
    _ kind: String,
    _ read: (JSON) -> Value?
  ) throws(Problem) -> Value? {
    guard has(name), let json = values[name] else { return nil }
    guard let value = read(json) else { throw .invalid("“\(name)” must be \(kind)") }
    return value
  }
}
