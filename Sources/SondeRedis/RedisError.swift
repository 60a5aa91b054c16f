/// The reason why a server did not execute a command.
public struct RedisError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of reason.
  public enum Kind: Sendable {
    /// The server cannot be reached, or did not answer in time.
    case unreachable
    /// The connection was closed; a new one may work.
    case ended
    /// The server answered with an error.
    case refused
    /// The answer is not valid, or not the expected one.
    case unintelligible
    /// A certificate is not accepted, the server's or Sonde's own, or cannot be used.
    case untrusted
    /// A library cannot be used.
    case unusable
  }

  /// The kind of reason.
  public let kind: Kind

  /// The reason in plain words, without a password.
  public let description: String

  /// The server's message if it ``Kind/refused``, starting with the kind of its error.
  public let words: String?

  /// Creates an error.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description, words) = (kind, description, nil)
  }

  /// Creates an error from the beginning of a server's error reply, on one line.
  public init(refusal words: String) {
    // It repeats the words of an unknown command.
    let end = words.firstRange(of: ", with args")?.lowerBound ?? words.endIndex
    let kept = Self.oneLine(words[..<end])
    (kind, description, self.words) = (.refused, "Redis says: \(kept)", kept)
  }

  private init(_ kind: Kind, _ description: String, words: String?) {
    (self.kind, self.description, self.words) = (kind, description, words)
  }

  /// A copy whose description begins with the place it is from.
  func describing(_ place: String) -> RedisError {
    RedisError(kind, "\(place): \(description)", words: words)
  }

  /// A copy without a secret that the server may have repeated.
  public func withholding(_ secret: String) -> RedisError {
    guard let words, !secret.isEmpty else { return self }
    return RedisError(refusal: words.replacing(secret, with: "***"))
  }

  private static let longest = 300

  /// The printable text, cut to a number of characters.
  private static func oneLine(_ text: Substring) -> String {
    let unseen: Set<Unicode.GeneralCategory> = [
      .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse,
    ]
    let scalars = text.unicodeScalars.prefix(longest)
      .map { unseen.contains($0.properties.generalCategory) ? " " : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
