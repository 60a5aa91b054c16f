/// What the values of a column are, beyond being texts.
public enum ValueKind: Sendable, Equatable {
  case text
  /// Numbers as JSON writes them (RFC 8259 §6).
  case number
  /// `true` and `false`.
  case flag

  /// The kind of a column that has values of both kinds.
  func joined(with other: ValueKind) -> ValueKind { self == other ? self : .text }
}
