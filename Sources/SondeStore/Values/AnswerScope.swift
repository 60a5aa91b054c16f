/// The scope of an answer, which separates answers to different questions.
///
/// A stored answer is used only if the same or less would be requested from the same provider.
public struct AnswerScope: Hashable, Sendable {
  /// The provider's name, as in the `source` column.
  public var provider: String

  /// The base URL, without any key.
  public var endpoint: String

  /// A word for the kind of key that was used; empty for none.
  ///
  /// Providers return the stored fields equally for all keys.
  public var account: String

  /// The language of the names in the answer, by the provider's code.
  public var language: String

  /// The requested fields, one bit each, by the provider's numbers.
  public var fields: Int

  /// Makes a scope, whose `endpoint` and `account` are written to disk and must not contain a key.
  public init(provider: String, endpoint: String, account: String, language: String, fields: Int) {
    (self.provider, self.endpoint, self.account) = (provider, endpoint, account)
    (self.language, self.fields) = (language, fields)
  }

  /// Whether an answer in this scope includes what another scope requires.
  func includes(_ other: AnswerScope) -> Bool {
    var alike = self
    alike.fields = other.fields
    return alike == other && fields & other.fields == other.fields
  }
}
