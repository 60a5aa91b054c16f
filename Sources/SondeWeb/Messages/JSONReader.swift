/// Parses JSON strictly (RFC 8259): UTF-8, nothing after the value, no duplicate names.
struct JSONReader {
  /// The largest nesting depth of arrays and objects.
  static let deepest = 32

  private let text: [UInt8]
  private let keepsDigits: Bool
  private var index = 0
  private var depth = 0

  /// Parses a text; `keepsDigits` keeps the digits of numbers that are not integers.
  ///
  /// - Throws: ``Problem`` with 400.
  static func value(
    of text: [UInt8],
    keepingDigits keepsDigits: Bool = false
  ) throws(Problem) -> JSON {
    var reader = JSONReader(text: text, keepsDigits: keepsDigits)
    let value = try reader.readValue()
    reader.skipBlanks()
    guard reader.index == text.count else { throw reader.flaw }
    return value
  }

  private var flaw: Problem { .malformed("the body is not JSON: see byte \(index)") }

  private var next: UInt8? { index < text.count ? text[index] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
      index += 1
    }
  }

  /// Skips a byte if it comes next; returns whether it did.
  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ byte: Unicode.Scalar) throws(Problem) {
    guard skip(byte) else { throw flaw }
  }

  private mutating func readValue() throws(Problem) -> JSON {
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"):
      return try readNested { reader throws(Problem) in try reader.readObject() }
    case UInt8(ascii: "["):
      return try readNested { reader throws(Problem) in try reader.readArray() }
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: return try readNumber()
    }
  }

  private mutating func readNested(
    _ read: (inout JSONReader) throws(Problem) -> JSON
  ) throws(Problem) -> JSON {
    index += 1
    depth += 1
    guard depth <= Self.deepest else { throw .malformed("the body is nested too deep") }
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func readWord(_ word: String, _ value: JSON) throws(Problem) -> JSON {
    guard text[index...].starts(with: word.utf8) else { throw flaw }
    index += word.utf8.count
    return value
  }

  private mutating func readArray() throws(Problem) -> JSON {
    var values: [JSON] = []
    skipBlanks()
    if skip("]") { return .array(values) }
    repeat {
      values.append(try readValue())
      skipBlanks()
    } while skip(",")
    try expect("]")
    return .array(values)
  }

  private mutating func readObject() throws(Problem) -> JSON {
    var members: [(String, JSON)] = []
    var names: Set<String> = []
    skipBlanks()
    if skip("}") { return .object(members) }
    repeat {
      skipBlanks()
      let name = try readString()
      guard names.insert(name).inserted else { throw .malformed("the body has “\(name)” twice") }
      skipBlanks()
      try expect(":")
      members.append((name, try readValue()))
      skipBlanks()
    } while skip(",")
    try expect("}")
    return .object(members)
  }
}

// MARK: - Numbers

extension JSONReader {
  private mutating func readNumber() throws(Problem) -> JSON {
    let start = index
    _ = skip("-")
    if !skip("0") { try readDigits() }
    let end = index
    if skip(".") { try readDigits() }
    if skip("e") || skip("E") {
      _ = skip("-") || skip("+")
      try readDigits()
    }
    let digits = String(decoding: text[start..<index], as: UTF8.self)
    if end == index, let whole = Int64(digits) { return .integer(whole) }
    guard let number = Double(digits), number.isFinite else { throw flaw }
    return keepsDigits ? .decimal(digits) : .number(number)
  }

  private mutating func readDigits() throws(Problem) {
    let start = index
    while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
    guard index > start else { throw flaw }
  }
}

// MARK: - Strings

extension JSONReader {
  private mutating func readString() throws(Problem) -> String {
    try expect("\"")
    var bytes: [UInt8] = []
    while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\"") {
      index += 1
      if byte == UInt8(ascii: "\\") {
        bytes += String(try readEscape()).utf8
      } else {
        bytes.append(byte)
      }
    }
    try expect("\"")
    guard let string = String(validating: bytes, as: UTF8.self) else { throw flaw }
    return string
  }

  private mutating func readEscape() throws(Problem) -> Unicode.Scalar {
    guard let byte = next else { throw flaw }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readScalar()
    default: throw flaw
    }
  }

  /// Reads a code unit, or a surrogate pair (RFC 8259 §7).
  private mutating func readScalar() throws(Problem) -> Unicode.Scalar {
    let first = try readCodeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    try expect("\\")
    try expect("u")
    let second = try readCodeUnit()
    guard UTF16.isLeadSurrogate(first), UTF16.isTrailSurrogate(second) else { throw flaw }
    let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
    guard let scalar = Unicode.Scalar(value) else { throw flaw }
    return scalar
  }

  private mutating func readCodeUnit() throws(Problem) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next?.hexadecimalDigit else { throw flaw }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }
}
