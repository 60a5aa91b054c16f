import Records

/// An autonomous system as providers write it: `AS15169 Google LLC`, `AS15169`.
struct SystemNumber {
  /// The number (RFC 6793); 0 where the text has none.
  let number: UInt32

  /// The name behind it.
  let name: TextRange

  /// Reads a text of a document; one of another form is all name.
  init(_ text: TextRange, in document: JSONDocument) {
    let bytes = document.bytes(text)
    var number: UInt32 = 0
    var index = bytes.startIndex + 2
    guard bytes.count > 2, bytes.prefix(2).elementsEqual([0x41, 0x53]) else {
      self.init(number: 0, name: text)
      return
    }
    while index < bytes.endIndex, case let digit = bytes[index] &- 0x30, digit < 10 {
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt32(digit))
      guard !overflow, !carry else { break }
      number = sum
      index += 1
    }
    let hasDigits = index > bytes.startIndex + 2
    guard hasDigits, index == bytes.endIndex || bytes[index] == 0x20 else {
      self.init(number: 0, name: text)
      return
    }
    let rest = bytes[index...].drop { $0 == 0x20 }
    let offset = UInt32(rest.startIndex)
    self.init(number: number, name: TextRange(offset: offset, count: UInt32(rest.count)))
  }

  private init(number: UInt32, name: TextRange) {
    self.number = number
    self.name = name
  }
}
