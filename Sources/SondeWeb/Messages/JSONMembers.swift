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
    guard let value = try optionalString(name) else { throw missing(name) }
    return value
  }

  /// An optional string; `nil` if missing or null.
  /// - Throws: ``Problem`` with 422 for anything else.
  public func optionalString(_ name: String) throws(Problem) -> String? {
    switch values[name] {
    case nil, .null: return nil
    case .string(let value): return value
    default: throw .invalid("“\(name)” must be a text")
    }
  }

  /// An optional boolean; `nil` if missing or null.
  /// - Throws: ``Problem`` with 422 for anything else.
  public func optionalBoolean(_ name: String) throws(Problem) -> Bool? {
    switch values[name] {
    case nil, .null: return nil
    case .bool(let value): return value
    default: throw .invalid("“\(name)” must be true or false")
    }
  }

  /// An optional integer; `nil` if missing or null.
  /// - Throws: ``Problem`` with 422 for anything else.
  public func optionalInteger(_ name: String) throws(Problem) -> Int64? {
    switch values[name] {
    case nil, .null: return nil
    case .integer(let value): return value
    default: throw .invalid("“\(name)” must be a whole number")
    }
  }

  private func missing(_ name: String) -> Problem { .invalid("“\(name)” is missing") }
}
