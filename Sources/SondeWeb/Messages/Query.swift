/// The query of a request: names with values, decoded once; only some names may occur twice.
public struct Query: Sendable {
  private let values: [String: String]
  /// All values of the names that may occur twice.
  private let lists: [String: [String]]

  init() { (values, lists) = ([:], [:]) }

  /// Parses `name=value&name=value`, the text after the question mark; `+` means a blank.
  ///
  /// - Throws: ``Problem`` with 400 if it is malformed, or a name occurs twice that must not.
  init(_ text: String, repeatable: Set<String> = []) throws(Problem) {
    var values: [String: String] = [:]
    var lists: [String: [String]] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(parts[0].utf8, plusIsBlank: true),
        let value = percentDecoded(parts.dropFirst().first?.utf8 ?? "".utf8[...], plusIsBlank: true)
      else { throw .malformed("the query is not encoded as it must be") }
      if repeatable.contains(name) { lists[name, default: []].append(value) }
      guard values.updateValue(value, forKey: name) == nil || repeatable.contains(name) else {
        throw .malformed("the query has “\(name)” twice")
      }
    }
    (self.values, self.lists) = (values, lists)
  }

  /// Refuses unknown names.
  /// - Throws: ``Problem`` with 400.
  public func allow(_ names: String...) throws(Problem) {
    for name in values.keys.sorted() where !names.contains(name) {
      throw .malformed("the query has “\(name)”, which is not known")
    }
  }

  /// The value of a name; `nil` if there is none.
  public subscript(name: String) -> String? { values[name] }

  /// All values of a name that may occur twice, in order.
  public func all(_ name: String) -> [String] { lists[name] ?? [] }

  /// The value of a name as an integer.
  ///
  /// - Throws: ``Problem`` with 422 if it is not an integer, or out of bounds.
  public func integer(_ name: String, in bounds: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = values[name] else { return nil }
    guard let value = Int(decimal: text, in: bounds) else {
      throw .invalid("“\(name)” must be a number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return value
  }

  /// The value of a name as a boolean, `true` or `false`.
  ///
  /// - Throws: ``Problem`` with 422 for anything else.
  public func boolean(_ name: String) throws(Problem) -> Bool? {
    guard let text = values[name] else { return nil }
    guard let value = Bool(text) else { throw .invalid("“\(name)” must be true or false") }
    return value
  }

  /// The value of a name as one of several words.
  ///
  /// - Throws: ``Problem`` with 422 for anything else.
  public func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String,
    _ type: Choice.Type = Choice.self
  ) throws(Problem) -> Choice? {
    guard let text = values[name] else { return nil }
    guard let value = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid("“\(name)” must be one of \(words)")
    }
    return value
  }
}
