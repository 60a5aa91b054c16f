// Flaws after a '/'.
extension ItemFlaw {
  /// `8.8.8.0/255.255.255.0`, `8.8.8.8/33`, `8.8.8.8/`, `/24`.
  static let slash: Detector = { item in
    guard let slash = item.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let (head, tail) = (item[..<slash], item[(slash + 1)...])
    if head.isEmpty { return ItemFlaw(0, "has no address before '/'") }
    guard let next = tail.first else {
      return ItemFlaw(slash, "has no prefix length after '/'", mended: head)
    }
    if isNumber(tail) { return lengthFlaw(head, tail) ?? find(in: item, piece: head) }
    if "+-".utf8.contains(next), isNumber(tail.dropFirst()) {
      let reason = "has a sign before the prefix length"
      guard next == UInt8(ascii: "+") else { return ItemFlaw(slash + 1, reason) }
      return ItemFlaw(slash + 1, reason, mended: item[...slash] + tail.dropFirst())
    }
    if let mask = MaskText(tail) {
      guard let length = mask.length else { return ItemFlaw(slash + 1, mask.reason) }
      return ItemFlaw(slash + 1, mask.reason, mended: item[...slash] + Array("\(length)".utf8))
    }
    if let second = tail.firstIndex(of: UInt8(ascii: "/")), isNumber(tail[..<second]) {
      return ItemFlaw(second, "has a second '/'")
    }
    return ItemFlaw(slash, "goes on after '/' with no prefix length", mended: head)
  }

  private static func lengthFlaw(
    _ head: ArraySlice<UInt8>,
    _ tail: ArraySlice<UInt8>
  ) -> ItemFlaw? {
    if tail.count > 1, tail.first == UInt8(ascii: "0") {
      let value = tail.drop { $0 == UInt8(ascii: "0") }
      let mended = head + [UInt8(ascii: "/")] + (value.isEmpty ? tail.suffix(1) : value)
      return ItemFlaw(tail.startIndex, "has a leading zero in the prefix length", mended: mended)
    }
    let most = head.contains(UInt8(ascii: ":")) ? 128 : 32
    if tail.count <= 3, let length = PrefixLength(tail.span), length.value <= most { return nil }
    return ItemFlaw(tail.startIndex, "has a prefix length over \(most)")
  }
}

/// A mask written as an address, as in `/255.255.255.0` or `/0.0.0.255`.
struct MaskText {
  /// The prefix length equivalent to the mask, if there is one.
  let length: Int?

  /// Whether this is unlikely to be an address, because the mask has 8 bits or more.
  var isLikely: Bool { length.map { $0 >= 8 } ?? false }

  let reason: String

  init?(_ piece: ArraySlice<UInt8>) {
    guard let mask = ItemFlaw.address(piece) else { return nil }
    let bits = mask.isIPv4 ? 32 : 128
    let number = mask.isIPv4 ? mask.number << 96 : mask.number
    let ones = (~number).leadingZeroBitCount
    let zeros = number.leadingZeroBitCount
    if number == Self.prefix(ones) {
      (length, reason) = (ones, "has a netmask")
    } else if zeros < bits, number == Self.prefix(bits) & ~Self.prefix(zeros) {
      (length, reason) = (zeros, "has a wildcard mask")
    } else {
      (length, reason) = (nil, "has a mask that is no prefix length")
    }
  }

  /// The number with as many leading one bits.
  private static func prefix(_ length: Int) -> UInt128 { ~(UInt128.max >> UInt128(length)) }
}
