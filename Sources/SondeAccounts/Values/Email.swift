/// An email address that identifies an account: trimmed, in lower case, and well-formed.
public struct Email: Hashable, Sendable, CustomStringConvertible {
  /// The text of the address.
  public let text: String

  /// The text of the address.
  public var description: String { text }

  /// The longest address in bytes (RFC 5321 §4.5.3.1.3, without the angle brackets).
  private static let longest = 254

  /// The longest local part in bytes (RFC 5321 §4.5.3.1.1).
  private static let longestName = 64

  /// Parses typed text by the rule of browsers (HTML, "valid e-mail address").
  ///
  /// Only ASCII is accepted, since equivalent spellings of other characters are unknown.
  public init?(_ text: String) {
    let typed = Substring(text).trimmed
    guard typed.utf8.count <= Self.longest else { return nil }
    let sides = typed.split(separator: "@", omittingEmptySubsequences: false)
    guard sides.count == 2, Self.isName(sides[0].utf8) else { return nil }
    let labels = sides[1].split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy({ Self.isLabel($0.utf8) }) else { return nil }
    self.text = typed.lowercased()
  }

  private static func isName(_ name: Substring.UTF8View) -> Bool {
    let marks = Array(".!#$%&'*+/=?^_`{|}~-".utf8)
    return (1...longestName).contains(name.count)
      && name.allSatisfy { $0.isLetterOrDigit || marks.contains($0) }
  }

  /// Whether this is a label of a host name (RFC 1034 §3.5, RFC 1123 §2.1).
  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
  }
}
