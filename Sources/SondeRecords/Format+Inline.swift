extension Field {
  /// The columns shown after an address in a text, in order.
  public static let inline: [Field] = [.countryCode, .city, .asn, .asName]
}

extension Format {
  /// The values on one line, separated by commas, without missing ones, for people.
  public static let inline = Format(
    "inline",
    isForPerson: true,
    append: { $0.appendInline($1, bytes: $2, $3, joinsNetwork: false, to: &$4) }
  )

  /// Like ``inline``, with a network's number and name as one value: `AS15169 Google LLC`.
  public static let inlineNetwork = Format(
    "inline-network",
    isForPerson: true,
    append: { $0.appendInline($1, bytes: $2, $3, joinsNetwork: true, to: &$4) }
  )
}

extension EncodingPlan {
  fileprivate func appendInline(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    joinsNetwork: Bool,
    to output: inout OutputSpan<UInt8>
  ) {
    let ip = ShortText(of: record.address, scratch: &output)
    let start = output.count
    var hasNumber = false
    for column in columns {
      let before = output.count
      if before > start {
        if !(hasNumber && column.value == .text(.asName)) { output.append(UInt8(ascii: ",")) }
        output.append(UInt8(ascii: " "))
      }
      let isNumber = joinsNetwork && column.value == .count(.asn)
      if isNumber { for byte in "AS".utf8 { output.append(byte) } }
      let value = output.count
      _ = appendCell(column, .max, of: record, ip: ip, bytes: bytes, added, to: &output)
      hasNumber = isNumber && output.count > value
      if output.count == value { output.removeLast(output.count - before) }
    }
  }
}
