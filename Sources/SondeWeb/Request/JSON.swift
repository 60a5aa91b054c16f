/// A value of JSON (RFC 8259), with the members of objects in order.
public indirect enum JSON: Sendable, Equatable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// Any other number, finite.
  case number(Double)
  /// Any other number, with the very digits that it is written with.
  case decimal(String)
  /// A text.
  case string(String)
  /// Some values.
  case array([JSON])
  /// Some names, each once, with a value.
  case object([(String, JSON)])

  /// Equal names and values in the same order.
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
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Some values.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Some names with values, in order.
  public init(dictionaryLiteral members: (String, JSON)...) { self = .object(members) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }
}

extension JSON {
  /// A text, or null.
  public init(_ value: String?) { self = value.map(JSON.string) ?? .null }
  /// A whole number, or null.
  public init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  /// A number, or null; null as well where it is not finite.
  public init(_ value: Double?) { self = value.map(JSON.number) ?? .null }
  /// True or false, or null.
  public init(_ value: Bool?) { self = value.map(JSON.bool) ?? .null }
}

// MARK: - Reading

extension JSON {
  /// Reads a text, strictly: UTF-8, nothing behind the value, no name twice.
  ///
  /// Numbers that are not whole become ``decimal(_:)``, so that none of their digits is lost.
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

  /// A text; `nil` for anything else.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// A number as it is written; `nil` for anything else.
  public var digits: String? {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .decimal(let digits): digits
    default: nil
    }
  }

  /// The member of an object; `nil` where there is none.
  public subscript(name: String) -> JSON? { members?.first { $0.0 == name }?.1 }
}

// MARK: - Writing

extension JSON {
  /// The text of the value, without white space.
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
