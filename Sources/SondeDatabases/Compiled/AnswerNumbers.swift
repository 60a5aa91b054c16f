/// Which answers of a compiled database addresses have, by number.
///
/// Addresses are many and answers few: what is made of one can be made once, and found by its number.
public struct AnswerNumbers: Sendable {
  /// The database; numbers of another one mean something else.
  public let table: CompiledTable

  /// The number of each address's answer, in order.
  public let numbers: [UInt32]
}
