/// Finds the members of a JSON object (RFC 8259) and their positions.
///
/// Nested values are only checked for balance and complete strings, because they are only copied.
package struct JSONRow {
  /// The result of reading an object.
  package enum Outcome {
    case whole
    /// The object is incomplete.
    case more
    case malformed
  }

  /// A member of the object.
  package struct Member {
    /// The name, without its quotes.
    package var name: Range<Int>
    /// The value; a string includes its quotes.
    package var value: Range<Int>
    /// The whole member.
    package var all: Range<Int> { name.lowerBound - 1..<value.upperBound }
  }

  package private(set) var members: [Member] = []
  /// The position after the closing brace.
  package private(set) var end = 0

  package init() {}

  /// Reads the object whose opening brace is at `start`.
  package mutating func read(_ bytes: Span<UInt8>, from start: Int) -> Outcome {
    members.removeAll(keepingCapacity: true)
    var scanner = JSONScanner(position: start)
    guard scanner.take("{", of: bytes) else { return scanner.outcome(in: bytes) }
    scanner.skipSpace(in: bytes)
    if !scanner.take("}", of: bytes) {
      repeat {
        scanner.skipSpace(in: bytes)
        guard let member = scanner.member(of: bytes) else { return scanner.outcome(in: bytes) }
        members.append(member)
        scanner.skipSpace(in: bytes)
      } while scanner.take(",", of: bytes)
      guard scanner.take("}", of: bytes) else { return scanner.outcome(in: bytes) }
    }
    end = scanner.position
    return .whole
  }
}

extension JSONRow {
  /// The starts of an array's elements, and its end; `nil` if there is no complete array.
  package static func array(
    of bytes: Span<UInt8>,
    from start: Int
  ) -> (elements: [Int], end: Int)? {
    var scanner = JSONScanner(position: start)
    var elements: [Int] = []
    guard scanner.take("[", of: bytes) else { return nil }
    scanner.skipSpace(in: bytes)
    if scanner.take("]", of: bytes) { return (elements, scanner.position) }
    repeat {
      scanner.skipSpace(in: bytes)
      elements.append(scanner.position)
      guard scanner.takeValue(of: bytes) else { return nil }
      scanner.skipSpace(in: bytes)
    } while scanner.take(",", of: bytes)
    return scanner.take("]", of: bytes) ? (elements, scanner.position) : nil
  }
}

/// A position in a JSON text, which stops at an invalid byte or the end.
private struct JSONScanner {
  var position: Int

  func outcome(in bytes: Span<UInt8>) -> JSONRow.Outcome {
    position < bytes.count ? .malformed : .more
  }

  mutating func skipSpace(in bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
  }

  mutating func take(_ scalar: Unicode.Scalar, of bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  mutating func member(of bytes: Span<UInt8>) -> JSONRow.Member? {
    let start = position
    guard takeString(of: bytes) else { return nil }
    let name = start + 1..<position - 1
    skipSpace(in: bytes)
    guard take(":", of: bytes) else { return nil }
    skipSpace(in: bytes)
    let value = position
    guard takeValue(of: bytes) else { return nil }
    return JSONRow.Member(name: name, value: value..<position)
  }

  private mutating func takeString(of bytes: Span<UInt8>) -> Bool {
    guard take("\"", of: bytes) else { return false }
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return true
      case UInt8(ascii: "\\"): position = min(position + 2, bytes.count)
      case 0..<0x20: return false
      default: position += 1
      }
    }
    return false
  }

  fileprivate mutating func takeValue(of bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count else { return false }
    switch bytes[position] {
    case UInt8(ascii: "\""): return takeString(of: bytes)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return takeNested(of: bytes)
    default: return takeWord(of: bytes)
    }
  }

  private mutating func takeNested(of bytes: Span<UInt8>) -> Bool {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        guard takeString(of: bytes) else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      position += 1
      if depth == 0 { return true }
    }
    return false
  }

  /// A number, `true`, `false` or `null`.
  private mutating func takeWord(of bytes: Span<UInt8>) -> Bool {
    let start = position
    while position < bytes.count, bytes[position].isJSONWord { position += 1 }
    // At the end of the bytes, it may be incomplete.
    return position > start && position < bytes.count
  }
}

extension UInt8 {
  /// Whether it is white space between the tokens of JSON.
  package var isJSONSpace: Bool { self == 0x20 || self == 0x0a || self == 0x0d || self == 0x09 }

  /// Whether it can be part of a number or a keyword.
  fileprivate var isJSONWord: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
