import SondeRecords

/// A parsed document: its values in document order, and the bytes of all strings.
struct JSONDocument: Sendable {
  /// The spare bytes that must be readable after a text to parse (simdjson, `SIMDJSON_PADDING`).
  static let padding = 64

  /// The values in document order, as simdjson's words (its `doc/tape.md`).
  ///
  /// The highest byte of a word is the kind; the rest is the position of a string, or of the end of
  /// an array or object. A number has a second word. The members of an object are pairs of a string
  /// and a value.
  private let tape: [UInt64]

  /// The unescaped strings, valid UTF-8 without control characters, each after its length, and
  /// padding; records refer to their texts as ranges in it.
  let strings: [UInt8]

  /// Copies a document from its parser's buffers, and removes control characters if there may be
  /// any.
  init(
    tape parsedTape: UnsafeBufferPointer<UInt64>,
    strings parsed: UnsafeBufferPointer<UInt8>,
    mayHoldControls: Bool
  ) {
    // Without the words that delimit the document.
    unsafe tape = Array(parsedTape.dropFirst().dropLast())
    let size = parsed.count + JSONKey.padding
    var strings = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      _ = unsafe buffer.update(fromContentsOf: parsed)
      unsafe buffer[parsed.count...].update(repeating: 0)
      count = size
    }
    if mayHoldControls { Self.removeControls(from: &strings, of: tape) }
    self.strings = strings
  }

  /// Removes the control characters from the strings in place, which shortens them.
  private static func removeControls(from strings: inout [UInt8], of tape: [UInt64]) {
    var index = 0
    while index < tape.count {
      let word = tape[index]
      index = Self.index(behindWord: word, at: index)
      guard kind(of: word) == UInt8(ascii: "\"") else { continue }
      let place = textRange(word, in: strings.span)
      let range = Int(place.offset)..<Int(place.offset) + Int(place.count)
      guard strings.span.extracting(range).hasControls else { continue }
      var text: [UInt8] = []
      text.append(withoutControls: strings.span.extracting(range))
      strings.replaceSubrange(range.prefix(text.count), with: text)
      // The preceding length is little-endian.
      for byte in 0..<4 {
        strings[range.lowerBound - 4 + byte] = UInt8(truncatingIfNeeded: text.count >> (8 * byte))
      }
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

    var text: TextRange? { if case .string(let text) = self { text } else { nil } }

    var number: Double? {
      switch self {
      case .integer(let value): Double(value)
      case .double(let value): value
      default: nil
      }
    }

    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The tape range of an object's members; `nil` for anything else.
    var members: Range<Int>? { if case .object(let range) = self { range } else { nil } }
  }

  var root: Value { self[0] }

  /// The value at an index of the tape.
  subscript(index: Int) -> Value {
    let word = tape[index]
    switch Self.kind(of: word) {
    case UInt8(ascii: "f"): return .bool(false)
    case UInt8(ascii: "t"): return .bool(true)
    case UInt8(ascii: "l"): return .integer(Int64(bitPattern: tape[index + 1]))
    // Only above `Int64.max`; no field is that large.
    case UInt8(ascii: "u"): return .double(Double(tape[index + 1]))
    case UInt8(ascii: "d"): return .double(Double(bitPattern: tape[index + 1]))
    case UInt8(ascii: "\""): return .string(textRange(word))
    case UInt8(ascii: "["): return .array(index + 1..<Self.end(of: word) - 1)
    case UInt8(ascii: "{"): return .object(index + 1..<Self.end(of: word) - 1)
    default: return .null
    }
  }

  func index(after index: Int) -> Int {
    let word = tape[index]
    switch Self.kind(of: word) {
    case UInt8(ascii: "["), UInt8(ascii: "{"): return Self.end(of: word)
    case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): return index + 2
    default: return index + 1
    }
  }

  private static func kind(of word: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> 56) }

  /// The index after an array or object, adjusted for the removed first word.
  private static func end(of word: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: word)) - 1 }

  func forEachMember(_ members: Range<Int>, _ body: (TextRange, Value) -> Void) {
    var index = members.lowerBound
    while index < members.upperBound {
      body(textRange(tape[index]), self[index + 1])
      index = self.index(after: index + 1)
    }
  }

  func forEachElement(_ elements: Range<Int>, _ body: (Value) -> Void) {
    var index = elements.lowerBound
    while index < elements.upperBound {
      body(self[index])
      index = self.index(after: index)
    }
  }

  /// The value of a key; the first one of duplicates.
  func value(_ key: JSONKey, in members: Range<Int>) -> Value? {
    var found: Value?
    forEachMember(members) { text, value in
      if found == nil, self.key(text) == key { found = value }
    }
    return found
  }

  func bytes(_ text: TextRange) -> ArraySlice<UInt8> {
    strings[Int(text.offset)..<Int(text.offset) + Int(text.count)]
  }

  func string(_ text: TextRange) -> String { String(decoding: bytes(text), as: UTF8.self) }

  @inline(__always)
  func key(_ text: TextRange) -> JSONKey { JSONKey(text, in: unsafe strings.span.bytes) }

  /// The index of the next word, also within an array or object.
  private static func index(behindWord word: UInt64, at index: Int) -> Int {
    let isNumber = "lud".utf8.contains(kind(of: word))
    return index + (isNumber ? 2 : 1)
  }

  @inline(__always)
  private func textRange(_ word: UInt64) -> TextRange { Self.textRange(word, in: strings.span) }

  @inline(__always)
  private static func textRange(_ word: UInt64, in strings: Span<UInt8>) -> TextRange {
    let offset = UInt32(truncatingIfNeeded: word)
    let bytes = unsafe strings.bytes
    let count = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: Int(offset), as: UInt32.self)
    return TextRange(offset: offset + 4, count: UInt32(littleEndian: count))
  }
}
