/// The reason why there is no resolver.
public struct NameError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason, in plain words.
  public let description: String

  init(_ description: String) { self.description = description }
}
