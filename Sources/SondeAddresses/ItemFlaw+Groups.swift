// Flaws of IPv6 addresses, and names.
extension ItemFlaw {
  /// `2001:db8:::1`, `1::2::3`, `2001:db8::12345`, `10:05:03`.
  static let groups: Detector = { item in
    guard item.count(where: { $0 == UInt8(ascii: ":") }) > 1 else { return nil }
    if let odd = item.firstIndex(where: { !$0.isHexDigit && !":.".utf8.contains($0) }) {
      return ItemFlaw(odd, "\(quote([item[odd]])) is no hexadecimal digit")
    }
    return colonFlaw(item) ?? groupFlaw(item) ?? countFlaw(item)
  }

  private static func colonFlaw(_ item: [UInt8]) -> ItemFlaw? {
    let colon = UInt8(ascii: ":")
    let doubles = item.indices.dropLast().filter { item[$0] == colon && item[$0 + 1] == colon }
    if let second = doubles.dropFirst().first {
      guard second == doubles[0] + 1 else { return ItemFlaw(second, "has '::' twice") }
      let rest = item[second...].drop { $0 == colon }
      let mended = item[..<second] + [colon] + rest
      return ItemFlaw(second + 1, "has more than two colons in a row", mended: mended)
    }
    if item[0] == colon, item[1] != colon { return ItemFlaw(0, "begins with a single ':'") }
    let last = item.count - 1
    guard item[last] == colon, item[last - 1] != colon else { return nil }
    return ItemFlaw(last, "ends with a single ':'", mended: item[..<last])
  }

  private static func groupFlaw(_ item: [UInt8]) -> ItemFlaw? {
    let groups = item.split(separator: UInt8(ascii: ":"))
    for group in groups {
      if group.contains(UInt8(ascii: ".")) {
        guard group.endIndex == item.count else {
          return ItemFlaw(group.startIndex, "has a dotted part before its end")
        }
        if address(group) == nil { return find(in: item, piece: group) }
      } else if group.count > 4 {
        return ItemFlaw(group.startIndex, "group \(quote(group)) has more than 4 digits")
      }
    }
    return nil
  }

  private static func countFlaw(_ item: [UInt8]) -> ItemFlaw? {
    let hasTail = item.contains(UInt8(ascii: "."))
    let count = item.split(separator: UInt8(ascii: ":")).count + (hasTail ? 1 : 0)
    let isShortened = String(decoding: item, as: UTF8.self).contains("::")
    return ItemFlaw(0, "has \(count) groups, \(isShortened ? "too many beside '::'" : "not 8")")
  }

  /// `example.com`, `AS15169`, `root@example.com`.
  static let name: Detector = { item in
    if item.count > 2, item[...].startsIgnoringCase("as".utf8), isNumber(item[2...]) {
      return ItemFlaw(0, "is an AS number, not an address")
    }
    if let sign = item.firstIndex(of: UInt8(ascii: "@")), sign > 0, sign < item.count - 1 {
      return ItemFlaw(sign, "has a user name before '@'", mended: item[(sign + 1)...])
    }
    let labels = item.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let named = labels.last?.isEmpty ?? false ? labels.dropLast() : labels[...]
    guard let top = named.last, top.first?.isLetter ?? false else { return nil }
    let isName = named.allSatisfy { label in
      (1...63).contains(label.count) && label.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") }
    }
    guard isName else { return nil }
    if named.count > 1 || top.elementsEqual("localhost".utf8) {
      return ItemFlaw(0, "is a host name: resolve it first")
    }
    return ItemFlaw(0, "is a word, not an address (a host name must be resolved first)")
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes begin with an ASCII text written in lower case, in either case.
  func startsIgnoringCase(_ text: some Sequence<UInt8>) -> Bool {
    starts(with: text) { $0 == $1 || $0.isLetter && $0 | 0x20 == $1 }
  }
}
