/// A method of a request (RFC 9110 §9); any other is answered by 405.
public enum Method: String, Sendable, CaseIterable {
  /// Asks for something.
  case get = "GET"
  /// Asks for the headers of what GET would give.
  case head = "HEAD"
  /// Does something.
  case post = "POST"
  /// Stores something.
  case put = "PUT"
  /// Removes something.
  case delete = "DELETE"
  /// Asks what may be done.
  case options = "OPTIONS"

  /// Whether it changes nothing (RFC 9110 §9.2.1).
  var isSafe: Bool { self == .get || self == .head || self == .options }
}
