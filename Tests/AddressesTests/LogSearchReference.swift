@testable import Addresses

/// The rules of the search, written to be read: every piece of a text is tried, the leftmost first
/// and of those the longest.
enum LogSearchReference {
  static func search(_ text: [UInt8]) -> [LogMatch] {
    var (matches, start): ([LogMatch], Int) = ([], 0)
    while start < text.count {
      let letters = text[start...].prefix { $0.isHexDigit || $0 == dot || $0 == colon }
      let ends = (start..<min(letters.endIndex, start + Address.longestText)).reversed().map {
        $0 + 1
      }
      if let match = ends.lazy.compactMap({ match(text, start, $0) }).first {
        matches.append(match)
        start = match.end
      } else {
        start += 1
      }
    }
    return matches
  }

  private static func match(_ text: [UInt8], _ start: Int, _ end: Int) -> LogMatch? {
    let piece = text[start..<end]
    guard let address = Address(ascii: piece.span), !piece.elementsEqual("::".utf8) else {
      return nil
    }
    let zone = address.isLinkLocal && !address.isIPv4 ? zone(text[end...]) : nil
    let (before, after) = (text[..<start], text[(zone?.upperBound ?? end)...])
    if before.last?.isWord ?? false || after.first?.isWord ?? false { return nil }
    if before.last == dot, before.dropLast().last?.isWord ?? false { return nil }
    if after.first == dot, after.dropFirst().first?.isWord ?? false { return nil }

    // A mapped address with a dotted tail is an IPv4 address, but never the end of a longer one.
    if piece.contains(colon), before.last == colon,
      before.reversed().drop(while: { $0 == colon }).first?.isHexDigit ?? false
    {
      return nil
    }
    let isDotted = address.isIPv4 && piece.contains(dot)
    if isDotted ? followsGroup(before) : goesOn(before.reversed()) || goesOn(Array(after)) {
      return nil
    }
    if !piece.contains(colon), isVersion(before, after) { return nil }
    return LogMatch(
      start: start,
      end: zone?.upperBound ?? end,
      address: address,
      zone: zone
    )
  }

  private static let (dot, colon) = (UInt8(ascii: "."), UInt8(ascii: ":"))

  private static func zone(_ after: ArraySlice<UInt8>) -> Range<Int>? {
    guard after.first == UInt8(ascii: "%") else { return nil }
    var name = after.dropFirst().prefix { $0.isWord || ".-".utf8.contains($0) }
    while let last = name.last, ".-".utf8.contains(last) { name.removeLast() }
    return name.isEmpty ? nil : name.indices
  }

  /// Whether colons and then a letter or digit come first.
  private static func goesOn(_ side: [UInt8]) -> Bool {
    let rest = side.drop { $0 == colon }
    return rest.count < side.count && rest.first.map { $0.isLetter || $0.isDigit } ?? false
  }

  private static func followsGroup(_ before: ArraySlice<UInt8>) -> Bool {
    guard before.last == colon else { return false }
    let text = String(decoding: before.reversed().drop { $0 == colon }.reversed(), as: UTF8.self)
    return text.contains(#/(^|[^A-Za-z0-9_.])[0-9A-Fa-f]{1,4}$/#)
      || text.contains(#/(^|[^A-Za-z0-9_])rv$/#)
  }

  private static func isVersion(_ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>) -> Bool {
    guard before.last == UInt8(ascii: "/") else { return false }
    if let next = after.first, !" \t\u{b}\u{c}\r\n\"'`;,)".utf8.contains(next) { return false }
    let token = before.dropLast().reversed().prefix {
      $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0)
    }
    let name = Array(token.reversed().drop { "'`".utf8.contains($0) })
    if before.dropLast(1 + token.count).last == UInt8(ascii: "/") { return false }
    guard name.first?.isLetter ?? false else { return false }
    let sides = ["inside", "outside", "dmz", "lan", "wan"]
    return !sides.contains(String(decoding: name, as: UTF8.self).lowercased())
  }
}
