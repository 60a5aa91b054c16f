// Flaws within an address, and other kinds of identifiers.
extension ItemFlaw {
  /// `00:1a:2b:3c:4d:5e`, `00-1A-2B-3C-4D-5E`, `001a.2b3c.4d5e` (EUI-48 and EUI-64).
  static let hardwareAddress: Detector = { item in
    let forms: [(mark: UInt8, digits: Int, counts: [Int])] = [
      (UInt8(ascii: ":"), 2, [6]), (UInt8(ascii: "-"), 2, [6, 8]), (UInt8(ascii: "."), 4, [3, 4]),
    ]
    let isOne = forms.contains { form in
      let pieces = item.split(separator: form.mark, omittingEmptySubsequences: false)
      return form.counts.contains(pieces.count)
        && pieces.allSatisfy { $0.count == form.digits && $0.allSatisfy(\.isHexDigit) }
    }
    return isOne ? ItemFlaw(0, "is a MAC address, not an IP address") : nil
  }

  /// `1.2.3.*`, `1.2.*.*`, `1.2.3.x`.
  static let wildcard: Detector = { item in
    let octets = item.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isStar = { (octet: ArraySlice<UInt8>) in
      octet.count == 1 && octet.allSatisfy { "*xX".utf8.contains($0) }
    }
    let fixed = octets.prefix { isNumber($0) }
    guard octets.count <= 4, fixed.count < octets.count else { return nil }
    guard octets.dropFirst(fixed.count).allSatisfy({ isNumber($0) || isStar($0) }) else {
      return nil
    }
    let star = octets[fixed.count].startIndex
    guard item.count > 1 else {
      return item == [UInt8(ascii: "*")] ? ItemFlaw(star, "is a wildcard, not an address") : nil
    }
    guard octets.dropFirst(fixed.count).allSatisfy(isStar) else {
      return ItemFlaw(star, "has a wildcard where no block can have one")
    }
    let zeros = [ArraySlice<UInt8>](repeating: [UInt8(ascii: "0")], count: 4 - fixed.count)
    let block = (fixed + zeros).joined(separator: [UInt8(ascii: ".")])
    return ItemFlaw(star, "has a wildcard", mended: block + Array("/\(fixed.count * 8)".utf8))
  }

  /// `0x08080808`, `134744072`, `0x8.0x8.0x8.0x8`.
  static let number: Detector = { item in
    if isNumber(item[...]) {
      let reason = "is a number, not an address"
      guard let value = UInt32(String(decoding: item, as: UTF8.self)), value >> 24 != 0 else {
        return ItemFlaw(0, reason)
      }
      return ItemFlaw(0, reason, mended: text(Address(ipv4: value)))
    }
    let pieces = item.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let first = pieces.first(where: { hexadecimal($0) != nil }) else { return nil }
    if pieces.count == 1, let value = hexadecimal(first) {
      guard let number = UInt32(exactly: value) else {
        return ItemFlaw(0, "is a hexadecimal number, not an address")
      }
      let mended = text(Address(ipv4: number))
      return ItemFlaw(0, "is a hexadecimal number, not an address", mended: mended)
    }
    guard pieces.allSatisfy({ isNumber($0) || hexadecimal($0) != nil }) else { return nil }
    let octets = pieces.map { piece in hexadecimal(piece).map { Array("\($0)".utf8)[...] } ?? piece
    }
    let mended = octets.joined(separator: [UInt8(ascii: ".")])
    return ItemFlaw(first.startIndex, "has a hexadecimal octet", mended: mended)
  }

  private static func hexadecimal(_ piece: ArraySlice<UInt8>) -> UInt64? {
    guard piece.startsIgnoringCase("0x".utf8) else { return nil }
    let digits = piece.dropFirst(2)
    guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self), radix: 16) ?? .max
  }

  /// `010.1.1.1`, `8.8.8.256`, `127.1`, `1.2.3.4.5`, `1..2.3`.
  static let octets: Detector = { item in
    let octets = item.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard octets.count > 1, !item.contains(UInt8(ascii: ":")) else { return nil }
    guard let first = octets.first(where: { !$0.isEmpty })?.first, first.isDigit else { return nil }
    if let odd = octets.first(where: { !$0.isEmpty && !isNumber($0) }) {
      let isName = !octets.dropLast().allSatisfy(isNumber) && !(octets.last?.first?.isDigit ?? true)
      guard octets.count == 4, !isName else { return nil }
      return ItemFlaw(odd.startIndex, "octet \(quote(odd)) is no number")
    }
    if let empty = octets.first(where: \.isEmpty) {
      return ItemFlaw(min(empty.startIndex, item.count - 1), "has an empty octet")
    }
    if octets.count > 4 {
      return ItemFlaw(octets[4].startIndex, "has \(octets.count) octets, not 4")
    }
    return octetValueFlaw(octets) ?? shorthandFlaw(octets)
  }

  private static func octetValueFlaw(_ octets: [ArraySlice<UInt8>]) -> ItemFlaw? {
    if let zero = octets.first(where: { $0.count > 1 && $0.first == UInt8(ascii: "0") }) {
      let plain = octets.map { octet in
        let digits = octet.drop { $0 == UInt8(ascii: "0") }
        return digits.isEmpty ? octet.suffix(1) : digits
      }
      let number = String(decoding: zero, as: UTF8.self)
      let reason = "has a leading zero (some programs read \(number) as octal)"
      return ItemFlaw(zero.startIndex, reason, mended: plain.joined(separator: [UInt8(ascii: ".")]))
    }
    guard octets.count == 4 else { return nil }
    return octets.first { $0.count > 3 || UInt8(String(decoding: $0, as: UTF8.self)) == nil }
      .map { ItemFlaw($0.startIndex, "octet \(String(decoding: $0, as: UTF8.self)) is over 255") }
  }

  /// The flaw of too few octets, where the last number fills the missing ones (inet_aton(3)).
  private static func shorthandFlaw(_ octets: [ArraySlice<UInt8>]) -> ItemFlaw? {
    guard octets.count < 4 else { return nil }
    let reason = "has \(octets.count) octets, not 4"
    let numbers = octets.map { UInt32(String(decoding: $0, as: UTF8.self)) ?? .max }
    let room = UInt32(8 * (5 - octets.count))
    guard let last = numbers.last, last >> room == 0 else { return ItemFlaw(0, reason) }
    var value = last
    for (index, octet) in numbers.dropLast().enumerated() {
      guard octet <= 255 else { return ItemFlaw(0, reason) }
      value |= octet << UInt32(24 - 8 * index)
    }
    let meaning = Address(ipv4: value)
    return ItemFlaw(0, "\(reason) (\(meaning) to programs that take such shorthand)")
  }
}
