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

  /// The server's own words where it ``Kind/refused``, beginning with the kind of its error.
  public let words: String?

  /// Names a reason.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description, words) = (kind, description, nil)
  }

  /// The server answered with an error.
  ///
  /// - Parameter words: The server's text; only its beginning is kept, on one line.
  public init(refusal words: String) {
    // It repeats the words of a command that it does not know.
    let end = words.firstRange(of: ", with args")?.lowerBound ?? words.endIndex
    let kept = Self.oneLine(words[..<end])
    (kind, description, self.words) = (.refused, "Redis says: \(kept)", kept)
  }

  /// The same without a secret that it was sent, should it have repeated that.
  public func withholding(_ secret: String) -> RedisError {
    guard let words, !secret.isEmpty else { return self }
    return RedisError(refusal: words.replacing(secret, with: "***"))
  }

  private static let longest = 300

  /// Visible text of at most so many characters.
  private static func oneLine(_ text: Substring) -> String {
    let unseen: Set<Unicode.GeneralCategory> = [
      .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse,
    ]
    let scalars = text.unicodeScalars.prefix(longest)
      .map { unseen.contains($0.properties.generalCategory) ? " " : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
