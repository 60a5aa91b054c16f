/// Why no resolver can be had.
public struct NameError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Why, for a person.
  public let description: String

  init(_ description: String) { self.description = description }
}
