/// The method of a request (RFC 9110 §9); any other is answered with 405.
public enum Method: String, Sendable, CaseIterable {
  /// Retrieves a resource.
  case get = "GET"
  /// Retrieves the headers of a GET.
  case head = "HEAD"
  /// Performs an action.
  case post = "POST"
  /// Stores a resource.
  case put = "PUT"
  /// Removes a resource.
  case delete = "DELETE"
  /// Lists the permitted methods.
  case options = "OPTIONS"

  /// Whether it changes nothing (RFC 9110 §9.2.1).
  var isSafe: Bool { self == .get || self == .head || self == .options }
}
