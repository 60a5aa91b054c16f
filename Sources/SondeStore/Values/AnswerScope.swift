/// What keeps the answers of different questions apart.
///
/// A kept answer is used only where the same, or less, would be asked of the same provider.
public struct AnswerScope: Hashable, Sendable {
  /// The provider's name, as in the `source` column.
  public var provider: String

  /// The base URL that was asked, without any key.
  public var endpoint: String

  /// A word for the kind of key that was sent; empty for none.
  ///
  /// Of the fields that are kept, no provider answers more to one key than to another.
  public var account: String

  /// The language of the names in the answer, as the provider calls it.
  public var language: String

  /// What was asked for, where that can be chosen: a bit for each thing, as the provider numbers them.
  public var fields: Int

  /// Makes a scope.
  ///
  /// - Parameters:
  ///   - provider: The provider's name.
  ///   - endpoint: The base URL that was asked. It is written to the disk, so no key may be in it.
  ///   - account: A word for the kind of key, never the key itself; empty for none.
  ///   - language: The language of the names.
  ///   - fields: What was asked for.
  public init(
    provider: String,
    endpoint: String,
    account: String,
    language: String,
    fields: Int
  ) {
    self.provider = provider
    self.endpoint = endpoint
    self.account = account
    self.language = language
    self.fields = fields
  }

  /// Whether an answer in this scope holds at least what is asked in another.
  func includes(_ other: AnswerScope) -> Bool {
    var alike = self
    alike.fields = other.fields
    return alike == other && fields & other.fields == other.fields
  }
}
