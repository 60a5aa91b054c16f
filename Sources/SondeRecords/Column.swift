/// What an encoder knows of a column before the first record.
///
/// It holds no reference, so that walking along the columns of each record counts none.
struct Column: Sendable, BitwiseCopyable {
  /// How a record holds its value.
  let value: FieldValue

  /// `"name":`, and the quote that opens a text; nothing for an added column.
  let key: ShortText

  /// The place of an added column among all of them.
  let place: Int

  /// The most bytes of a key, its quotes and comma included, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  /// - Parameters:
  ///   - field: The column.
  ///   - added: All that are added.
  init(_ field: Field, among added: [AddedColumn]) {
    value = field.row.value
    guard case .added(let column) = field else {
      key = ShortText("\"\(field.name)\":" + (value.type == "text" ? "\"" : ""))
      place = 0
      return
    }
    key = ShortText()
    // One that nobody adds has no values.
    place = added.firstIndex(of: column) ?? .max
  }

  /// What ``key`` is of any other column, of an added one, whose name can be any text.
  static func addedKey(of field: Field) -> [UInt8] {
    guard case .added(let column) = field else { return [] }
    let (name, type) = (Array(column.name.utf8), field.row.value.type)
    let begin = type == "text" ? "\":\"" : type == "array" ? "\":[\"" : "\":"
    return [UInt8](capacity: 6 * name.count + 5 + OutputSpan<UInt8>.slack) { output in
      output.append(UInt8(ascii: "\""))
      output.append(jsonEscaping: name.span)
      for byte in begin.utf8 { output.append(byte) }
    }
  }
}
