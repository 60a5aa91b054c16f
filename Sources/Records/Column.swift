/// What an encoder knows of a column before the first record.
struct Column: Sendable {
  /// The column.
  let field: Field

  /// How a record holds its value, without a reference that would be counted for each record.
  enum Kind: Sendable {
    case address, input, source
    case text(TextField)
    /// What ``append`` appends; a word is quoted in JSON.
    case word, literal
  }

  let kind: Kind

  /// Appends a value that no format has to escape; nothing where it is missing.
  let append: FieldValue.Append

  /// `"name":`, and the quote that opens a text.
  let key: ShortText

  /// The most bytes of a key, its quotes and comma included, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  init(_ field: Field) {
    self.field = field
    (kind, append) = Self.parts(of: field.row.value)
    let quote = if case .literal = kind { "" } else { "\"" }
    key = ShortText("\"\(field.name)\":\(quote)")
  }

  private static func parts(of value: FieldValue) -> (Kind, FieldValue.Append) {
    switch value {
    case .address: (.address, { _, _ in })
    case .input: (.input, { _, _ in })
    case .source: (.source, { _, _ in })
    case .text(let text): (.text(text), { _, _ in })
    case .word(let append): (.word, append)
    case .literal(let append): (.literal, append)
    }
  }
}
