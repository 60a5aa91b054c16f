@testable import SondeAddresses

/// A character as its writer meant it, and where it lies in the text.
struct LogToken {
  let byte: UInt8
  let range: Range<Int>
}

/// What lies to both sides of a piece of text, escapes read.
enum LogSides {
  /// The bytes before a piece, colour sequences as 0; `nil` where the piece begins in an escape.
  static func before(_ text: [UInt8], _ start: Int, _ end: Int) -> [UInt8]? {
    let tokens = tokens(text[max(0, start - 8192)..<end])
    guard tokens.contains(where: { $0.range.lowerBound == start }) else { return nil }
    return withoutColours(tokens.filter { $0.range.upperBound <= start })
  }

  static func after(_ text: [UInt8], _ end: Int) -> [LogToken] {
    tokens(text[end..<min(text.count, end + 8192)])
  }

  private static func tokens(_ text: ArraySlice<UInt8>) -> [LogToken] {
    var (tokens, position): ([LogToken], Int) = ([], text.startIndex)
    while position < text.endIndex {
      let (byte, count) = escape(text[position...]) ?? (text[position], 1)
      tokens.append(LogToken(byte: byte, range: position..<position + count))
      position += count
    }
    return tokens
  }

  private static func escape(_ rest: ArraySlice<UInt8>) -> (UInt8, Int)? {
    let text = rest.prefix(6).reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
    let begin = text.unicodeScalars
    switch begin.first {
    case "%": return number(begin.dropFirst(), 2, 16).map { ($0, 3) }
    case "#": return number(begin.dropFirst(), 3, 8).flatMap { $0 < 0x20 ? ($0, 4) : nil }
    case "\\": break
    default: return nil
    }
    switch begin.dropFirst().first {
    case "\\": return (0x5c, 2)
    case "x": return number(begin.dropFirst(2), 2, 16).map { ($0, 4) }
    case "u": return number(begin.dropFirst(2), 4, 16).map { ($0, 6) }
    case "\"": return (0x22, 2)
    case "/": return (0x2f, 2)
    case "b": return (0x08, 2)
    case "f": return (0x0c, 2)
    case "n": return (0x0a, 2)
    case "r": return (0x0d, 2)
    case "t": return (0x09, 2)
    default: return nil
    }
  }

  private static func number(
    _ text: Substring.UnicodeScalarView,
    _ count: Int,
    _ radix: Int
  ) -> UInt8? {
    let digits = text.prefix(count)
    guard digits.count == count, digits.allSatisfy({ $0 != "+" && $0 != "-" }),
      let value = Int(String(digits), radix: radix)
    else { return nil }
    return UInt8(exactly: value).flatMap { $0 < 0x80 ? $0 : nil } ?? 0x80
  }

  /// The bytes of characters, colour sequences as 0.
  static func withoutColours(_ tokens: [LogToken]) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), tokens.map(\.byte)[...])
    while let first = rest.popFirst() {
      let parameters = rest.dropFirst().prefix { $0.isDigit || ";:".utf8.contains($0) }.prefix(64)
      let last = rest.dropFirst(1 + parameters.count).first
      if first == 0x1b, rest.first == UInt8(ascii: "["), let last, "mK".utf8.contains(last) {
        bytes.append(0)
        rest = rest.dropFirst(2 + parameters.count)
      } else {
        bytes.append(first)
      }
    }
    return bytes
  }
}

/// Which addresses are the version of a product.
enum LogProducts {
  private static let slash = UInt8(ascii: "/")

  private static let browsers = [
    "Brave", "Chrome", "Chromium", "CriOS", "Edg", "EdgA", "Edge", "EdgiOS", "Electron",
    "HeadlessChrome", "OPR", "Opera", "SamsungBrowser", "Vivaldi", "YaBrowser",
  ]

  static func isVersion(_ before: [UInt8], _ after: [UInt8]) -> Bool {
    guard before.last == slash, isName(before.dropLast()) else { return false }
    if let next = after.first, ":(/".utf8.contains(next), after.dropFirst().first?.isDigit ?? false
    {
      return false
    }
    if browsers.contains(String(decoding: name(before.dropLast()), as: UTF8.self)) { return true }
    let border = before.lastIndex(where: isBorder)
    let field = before[(border.map { $0 + 1 } ?? 0)...]
    if holdsMozilla(field) { return true }
    guard let border, before[border] == UInt8(ascii: "\"") else { return false }
    // The address is there as a digit, which makes its name a product.
    let whole = Array(field + [UInt8(ascii: "1")] + after.prefix { !isBorder($0) })
    let products = whole.indices.filter { isProduct(whole, slashAt: $0) }
    guard let first = products.first, whole[..<first].allSatisfy(\.isNameByte) else { return false }
    return products.count > 1 || whole.contains(UInt8(ascii: "("))
  }

  private static func isBorder(_ byte: UInt8) -> Bool { "\"\t\n".utf8.contains(byte) }

  private static func holdsMozilla(_ field: ArraySlice<UInt8>) -> Bool {
    let name = Array("Mozilla/".utf8)
    return field.indices.contains { field[$0...].starts(with: name) }
  }

  private static func isProduct(_ field: [UInt8], slashAt position: Int) -> Bool {
    field[position] == slash && isName(field[..<position])
      && field[position...].dropFirst().first?.isDigit ?? false
  }

  /// Whether a text ends with the name of a product.
  private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    let name = name(text)
    return name.first?.isLetter ?? false && text.dropLast(name.count).last != slash
  }

  /// The name that a text ends with, if any.
  private static func name(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.suffix(text.reversed().prefix(while: \.isNameByte).count)
  }
}

extension UInt8 {
  /// A byte of a product's name: a `tchar` of RFC 9110 §5.6.2, but no `+`.
  fileprivate var isNameByte: Bool {
    isLetter || isDigit || "!#$%&'*-.^_`|~".utf8.contains(self)
  }
}
