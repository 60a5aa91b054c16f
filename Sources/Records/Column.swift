/// What an encoder knows of a column before the first record.
struct Column: Sendable {
  /// The column.
  let field: Field

  /// How a record holds its value.
  let value: FieldValue

  /// `"name":`, and the quote that opens a text.
  let key: ShortText

  /// The most bytes of a key, its quotes and comma included, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  init(_ field: Field) {
    self.field = field
    value = field.row.value
    key = ShortText("\"\(field.name)\":" + (value.type == "text" ? "\"" : ""))
  }
}
