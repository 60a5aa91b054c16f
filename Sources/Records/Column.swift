/// What an encoder knows of a column before the first record.
struct Column: Sendable {
  /// The column.
  let field: Field

  /// How a record holds its value.
  let value: FieldValue

  /// `"name":`, and the quote that opens a text; nothing for an added column.
  let key: ShortText

  /// The place of an added column among all of them.
  let place: Int

  /// The same as ``key`` for an added column, whose name can be any text.
  let addedKey: [UInt8]

  /// The most bytes of a key, its quotes and comma included, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  /// - Parameters:
  ///   - field: The column.
  ///   - added: All that are added.
  init(_ field: Field, among added: [AddedColumn]) {
    self.field = field
    value = field.row.value
    guard case .added(let column) = field else {
      key = ShortText("\"\(field.name)\":" + (value.type == "text" ? "\"" : ""))
      (place, addedKey) = (0, [])
      return
    }
    key = ShortText()
    // One that nobody adds has no values.
    place = added.firstIndex(of: column) ?? .max
    let name = Array(column.name.utf8)
    let begin = value.type == "text" ? "\":\"" : value.type == "array" ? "\":[\"" : "\":"
    addedKey = [UInt8](capacity: 6 * name.count + 5 + OutputSpan<UInt8>.slack) { output in
      output.append(UInt8(ascii: "\""))
      output.append(jsonEscaping: name.span)
      for byte in begin.utf8 { output.append(byte) }
    }
  }
}
