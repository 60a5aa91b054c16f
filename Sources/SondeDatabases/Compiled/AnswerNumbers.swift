/// The answers of a compiled database about some addresses, by number.
///
/// Many addresses share an answer, so results based on it can be cached by its number.
public struct AnswerNumbers: Sendable {
  /// The database; its numbers are meaningless in another one.
  public let table: CompiledDatabase

  /// The number of each address's answer, in order.
  public let numbers: [UInt32]
}
