/// Why a server did not do what it was asked.
public struct RedisError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of reason it is.
  public enum Kind: Sendable {
    /// It cannot be connected to, or did not answer in time.
    case unreachable
    /// The connection has ended; another one may do.
    case ended
    /// It answered with an error.
    case refused
    /// What came back is none of Redis's answers, or not the one that was due.
    case unintelligible
    /// hiredis cannot be used.
    case unusable
  }

  /// What kind of reason it is.
  public let kind: Kind

  /// For a person; no password is in it.
  public let description: String

  /// Names a reason.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
