import SondeRecords

/// An autonomous system in the format of providers: `AS15169 Google LLC`, `AS15169`.
struct SystemNumber {
  /// The number (RFC 6793); 0 if the text has none.
  let number: UInt32
  let name: TextRange

  /// Parses a text of a document; one in another format is only a name, and a number of more than
  /// 32 bits is missing.
  init(_ text: TextRange, in document: JSONDocument) {
    let bytes = document.strings.span
    let (start, end) = (Int(text.offset), Int(text.offset) + Int(text.count))
    guard text.count > 2, bytes[start] == UInt8(ascii: "A"), bytes[start + 1] == UInt8(ascii: "S")
    else {
      self.init(number: 0, name: text)
      return
    }
    var number: UInt32 = 0
    var isTooLarge = false
    var index = start + 2
    while index < end, case let digit = bytes[index] &- 0x30, digit < 10 {
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt32(digit))
      isTooLarge = isTooLarge || overflow || carry
      number = sum
      index += 1
    }
    guard index > start + 2, index == end || bytes[index] == UInt8(ascii: " ") else {
      self.init(number: 0, name: text)
      return
    }
    while index < end, bytes[index] == UInt8(ascii: " ") { index += 1 }
    let name = TextRange(offset: UInt32(index), count: UInt32(end - index))
    self.init(number: isTooLarge ? 0 : number, name: name)
  }

  private init(number: UInt32, name: TextRange) { (self.number, self.name) = (number, name) }
}
