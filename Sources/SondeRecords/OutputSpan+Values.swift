import SondeSystem

extension OutputSpan<UInt8> {
  /// Appends a value that needs no escaping in any format; nothing if it is missing.
  @inline(__always)
  mutating func append(plain value: FieldValue, of record: Record) {
    switch value {
    case .status: append(record.status)
    case .moment: if let seconds = record.fetchedAt { append(seconds: seconds) }
    case .coordinate(let coordinate):
      let degrees = record[coordinate]
      if degrees.isFinite { append(shortest: degrees) }
    case .count(let count): if let number = record[count] { append(decimal: number) }
    case .flag(let flag): if let isSet = record[flag] { append(isSet) }
    case .address, .input, .source, .text, .occurrence, .total, .added: break
    }
  }

  /// Appends a value of an address's totals; nothing if there is none.
  mutating func append(_ value: TotalValue, of totals: Totals?) {
    guard let totals else { return }
    if let number = totals.number(value) { append(decimal: number) }
    if let seconds = totals.seconds(value) { append(seconds: seconds) }
  }

  mutating func append(_ status: Status) { append(Keywords.statuses[Int(status.rawValue)]) }

  mutating func append(_ isSet: Bool) { append(isSet ? Keywords.true : Keywords.false) }
}

/// The keywords of values, ready to be copied.
private enum Keywords {
  static let statuses = Status.allCases.map { ShortText($0.name) }
  static let `true` = ShortText("true")
  static let `false` = ShortText("false")
}
