/// A JSON value (RFC 8259); members of objects are ordered.
public indirect enum JSON: Sendable, Equatable {
  /// The value null.
  case null
  /// A boolean.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// A finite floating-point number.
  case number(Double)
  /// A number that is not an integer, in its original digits.
  case decimal(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object with unique names.
  case object([(String, JSON)])

  /// Compares names and values in order.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
    default: false
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByStringInterpolation
{
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Creates an object with members in order.
  public init(dictionaryLiteral members: (String, JSON)...) { self = .object(members) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
}

extension JSON {
  /// Creates a string or null.
  public init(_ value: String?) { self = value.map(JSON.string) ?? .null }
  /// Creates an integer or null.
  public init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  /// Creates a number; null for `nil` and numbers that are not finite.
  public init(_ value: Double?) { self = value.map(JSON.number) ?? .null }
  /// Creates a boolean or null.
  public init(_ value: Bool?) { self = value.map(JSON.bool) ?? .null }
}

// MARK: - Reading

extension JSON {
  /// Parses a text strictly: UTF-8, nothing after the value, no duplicate names.
  ///
  /// Numbers that are not integers become ``decimal(_:)``, so that all digits are preserved.
  /// - Throws: ``Problem`` with 400.
  public init(parsing text: [UInt8]) throws(Problem) {
    self = try JSONReader.value(of: text, keepingDigits: true)
  }

  /// The members of an object; `nil` for anything else.
  public var members: [(String, JSON)]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The values of an array; `nil` for anything else.
  public var elements: [JSON]? { if case .array(let values) = self { values } else { nil } }

  /// The string; `nil` for anything else.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The digits of a number; `nil` for anything else.
  public var digits: String? {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .decimal(let digits): digits
    default: nil
    }
  }

  /// A member of an object; `nil` if there is none.
  public subscript(name: String) -> JSON? { members?.first { $0.0 == name }?.1 }
}

// MARK: - Writing

extension JSON {
  /// The JSON text, without white space.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    append(to: &output)
    return output
  }

  private func append(to output: inout [UInt8]) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .integer(let value): output += String(value).utf8
    case .number(let value): output += (value.isFinite ? "\(value)" : "null").utf8
    case .decimal(let digits): output += digits.utf8
    case .string(let value): value.appendQuoted(to: &output)
    case .array(let values): append(values, "[", "]", to: &output) { $0.append(to: &$1) }
    case .object(let members):
      append(members, "{", "}", to: &output) { member, output in
        member.0.appendQuoted(to: &output)
        output.append(UInt8(ascii: ":"))
        member.1.append(to: &output)
      }
    }
  }

  private func append<Element>(
    _ elements: [Element],
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    to output: inout [UInt8],
    _ appendElement: (Element, inout [UInt8]) -> Void
  ) {
    output.append(UInt8(ascii: open))
    var isFirst = true
    for element in elements {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      appendElement(element, &output)
    }
    output.append(UInt8(ascii: close))
  }
}

extension String {
  fileprivate func appendQuoted(to output: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    output.append(UInt8(ascii: "\""))
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0x0a: output += "\\n".utf8
      case 0x0d: output += "\\r".utf8
      case 0x09: output += "\\t".utf8
      case 0..<0x20: output += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
