/// Appends valid UTF-8 as a JSON string with its quotes (RFC 8259 §7).
public func appendJSONString(_ text: Span<UInt8>, to output: inout [UInt8]) {
  output.append(addingCapacity: 6 * text.count + 2 + OutputSpan<UInt8>.slack) { output in
    output.append(UInt8(ascii: "\""))
    output.append(jsonEscaping: text)
    output.append(UInt8(ascii: "\""))
  }
}

/// Appends a text as a JSON string with its quotes (RFC 8259 §7).
public func appendJSONString(_ text: String, to output: inout [UInt8]) {
  appendJSONString(Array(text.utf8).span, to: &output)
}

extension OutputSpan<UInt8> {
  /// Appends the content of a JSON string without quotes; each byte becomes at most six.
  @inline(__always)
  mutating func append(jsonEscaping text: Span<UInt8>) {
    var index = append(from: text, at: 0) { $0.jsonEscapes }
    while index < text.count {
      append(jsonEscape: text[index])
      index = append(from: text, at: index &+ 1) { $0.jsonEscapes }
    }
  }

  private mutating func append(jsonEscape byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0a: append(UInt8(ascii: "n"))
    case 0x0c: append(UInt8(ascii: "f"))
    case 0x0d: append(UInt8(ascii: "r"))
    default:
      for digit in "u00".utf8 { append(digit) }
      append(hexadecimal: UInt32(byte), digits: 2)
    }
  }

  /// Appends the last hexadecimal digits of a number, in lower case.
  mutating func append(hexadecimal number: UInt32, digits: Int) {
    for place in (0..<digits).reversed() {
      let digit = UInt8(truncatingIfNeeded: number >> UInt32(4 * place)) & 0xf
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}

/// Appends a finite number in its shortest form that parses to the same value.
public func appendShortest(_ number: Double, to output: inout [UInt8]) {
  // Sign, 17 digits, point, and an exponent of five characters.
  output.append(addingCapacity: 24 + OutputSpan<UInt8>.slack) { $0.append(shortest: number) }
}

/// A JSON object built member by member, for lines that are rare.
public struct JSONObject: Sendable {
  private var members: [UInt8] = []

  /// Creates an empty object.
  public init() {}

  /// Adds a text.
  public mutating func add(_ name: String, _ value: String) {
    addName(name)
    appendJSONString(value, to: &members)
  }

  /// Adds an integer.
  public mutating func add(_ name: String, _ value: some FixedWidthInteger) {
    add(name, json: Array(String(value).utf8))
  }

  /// Adds a finite number in its shortest form that parses to the same value.
  public mutating func add(_ name: String, _ value: Double) {
    addName(name)
    appendShortest(value, to: &members)
  }

  /// Adds a boolean.
  public mutating func add(_ name: String, _ value: Bool) {
    add(name, json: Array((value ? "true" : "false").utf8))
  }

  /// Adds a member with the value null.
  public mutating func addNull(_ name: String) { add(name, json: Array("null".utf8)) }

  /// Adds a value that is already JSON.
  public mutating func add(_ name: String, json value: [UInt8]) {
    addName(name)
    members += value
  }

  /// Adds an array of texts.
  public mutating func add(_ name: String, _ values: [String]) {
    addName(name)
    members.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { members.append(UInt8(ascii: ",")) }
      appendJSONString(value, to: &members)
    }
    members.append(UInt8(ascii: "]"))
  }

  /// Adds an object.
  public mutating func add(_ name: String, _ value: JSONObject) { add(name, json: value.bytes) }

  /// Adds an array of objects.
  public mutating func add(_ name: String, objects values: [JSONObject]) {
    let items = values.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
    add(name, json: [UInt8(ascii: "[")] + items + [UInt8(ascii: "]")])
  }

  /// The object.
  public var bytes: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

  /// The object and a line feed.
  public var line: [UInt8] { bytes + [UInt8(ascii: "\n")] }

  private mutating func addName(_ name: String) {
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    appendJSONString(name, to: &members)
    members.append(UInt8(ascii: ":"))
  }
}
