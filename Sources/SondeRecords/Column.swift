/// A column as prepared by an encoder before the first record.
///
/// It contains no reference, so that iterating over the columns counts none.
struct Column: Sendable, BitwiseCopyable {
  let value: FieldValue

  /// `"name":` and the opening quote of a text; empty for an added column.
  let key: ShortText

  /// The index among all added columns.
  let place: Int

  /// The largest size of a key with its quotes and comma, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  init(_ field: Field, among added: [AddedColumn]) {
    value = field.row.value
    guard case .added(let column) = field else {
      key = ShortText("\"\(field.name)\":" + (value.type.isQuoted ? "\"" : ""))
      place = 0
      return
    }
    key = ShortText()
    // A column that no source adds has no values.
    place = added.firstIndex(of: column) ?? .max
  }

  /// The key of an added column, whose name can be any text.
  static func addedKey(of field: Field) -> [UInt8] {
    guard case .added(let column) = field else { return [] }
    let (name, type) = (Array(column.name.utf8), field.row.value.type)
    let isText = type.isQuoted || column.form == .list
    let begin = "\":" + (type == .list ? "[" : "") + (isText ? "\"" : "")
    return [UInt8](capacity: 6 * name.count + 5 + OutputSpan<UInt8>.slack) { output in
      output.append(UInt8(ascii: "\""))
      output.append(jsonEscaping: name.span)
      for byte in begin.utf8 { output.append(byte) }
    }
  }
}

extension Field {
  /// The type of its values.
  package var type: FieldType { row.value.type }
}
