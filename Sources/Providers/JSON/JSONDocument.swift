import CSimdJSON
import Records

/// A parsed document: its values in document order, and the bytes of all its strings.
struct JSONDocument: Sendable {
  /// The spare bytes that must be readable behind a text to parse (simdjson, `SIMDJSON_PADDING`).
  static let padding = 64

  /// The values; the members of an object are pairs of a string and a value.
  let tokens: [sonde_json_token]

  /// The unescaped strings, valid UTF-8, and padding; records keep their texts as ranges into it.
  let strings: [UInt8]

  /// Copies a document out of its parser's buffers.
  init(tokens: [sonde_json_token], strings parsed: UnsafeBufferPointer<UInt8>) {
    self.tokens = tokens
    let size = parsed.count + JSONKey.padding
    strings = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      _ = unsafe buffer.update(fromContentsOf: parsed)
      unsafe buffer[parsed.count...].update(repeating: 0)
      count = size
    }
  }

  /// A value of the document.
  enum Value {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(TextRange)
    case array(Range<Int>)
    case object(Range<Int>)

    /// A string; `nil` for anything else.
    var text: TextRange? { if case .string(let text) = self { text } else { nil } }

    /// A number; `nil` for anything else.
    var number: Double? {
      switch self {
      case .integer(let value): Double(value)
      case .double(let value): value
      default: nil
      }
    }

    /// A boolean; `nil` for anything else.
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The tokens of an object's members; `nil` for anything else.
    var members: Range<Int>? { if case .object(let range) = self { range } else { nil } }
  }

  /// The outermost value.
  var root: Value { self[0] }

  /// The value whose token has an index.
  subscript(index: Int) -> Value {
    let token = tokens[index]
    switch token.kind {
    case SONDE_JSON_FALSE.rawValue: return .bool(false)
    case SONDE_JSON_TRUE.rawValue: return .bool(true)
    case SONDE_JSON_INTEGER.rawValue: return .integer(Int64(bitPattern: token.value))
    case SONDE_JSON_DOUBLE.rawValue: return .double(Double(bitPattern: token.value))
    case SONDE_JSON_STRING.rawValue: return .string(textRange(token))
    case SONDE_JSON_ARRAY.rawValue: return .array(index + 1..<index + 1 + Int(token.count))
    case SONDE_JSON_OBJECT.rawValue: return .object(index + 1..<index + 1 + Int(token.count))
    default: return .null
    }
  }

  /// Where the value behind a value begins.
  func index(after index: Int) -> Int {
    let token = tokens[index]
    let isContainer = token.kind >= SONDE_JSON_ARRAY.rawValue
    return index + 1 + (isContainer ? Int(token.count) : 0)
  }

  /// Calls `body` with the key and the value of every member.
  func forEachMember(_ members: Range<Int>, _ body: (TextRange, Value) -> Void) {
    var index = members.lowerBound
    while index < members.upperBound {
      body(textRange(tokens[index]), self[index + 1])
      index = self.index(after: index + 1)
    }
  }

  /// Calls `body` with every element of an array.
  func forEachElement(_ elements: Range<Int>, _ body: (Value) -> Void) {
    var index = elements.lowerBound
    while index < elements.upperBound {
      body(self[index])
      index = self.index(after: index)
    }
  }

  /// The value of a key; the first one where it is given twice.
  func value(_ key: JSONKey, in members: Range<Int>) -> Value? {
    var found: Value?
    forEachMember(members) { text, value in
      if found == nil, self.key(text) == key { found = value }
    }
    return found
  }

  /// The bytes of a text.
  func bytes(_ text: TextRange) -> ArraySlice<UInt8> {
    strings[Int(text.offset)..<Int(text.offset) + Int(text.count)]
  }

  /// A text as a `String`, for a message.
  func string(_ text: TextRange) -> String { String(decoding: bytes(text), as: UTF8.self) }

  /// A key in the form that comparisons use.
  @inline(__always)
  func key(_ text: TextRange) -> JSONKey { JSONKey(text, in: unsafe strings.span.bytes) }

  private func textRange(_ token: sonde_json_token) -> TextRange {
    TextRange(offset: UInt32(truncatingIfNeeded: token.value), count: token.count)
  }
}
