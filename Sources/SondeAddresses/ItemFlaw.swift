/// One reason why an item cannot be parsed.
struct ItemFlaw {
  /// The offset of the offending byte in the item.
  let offset: Int

  /// What is wrong, as a predicate of the item.
  let reason: String

  /// The item without this flaw (others may remain), if the intent is clear.
  let mended: [UInt8]?

  init(_ offset: Int, _ reason: String, mended: some Sequence<UInt8>) {
    (self.offset, self.reason) = (offset, reason)
    self.mended = Array(mended)
  }

  init(_ offset: Int, _ reason: String) {
    (self.offset, self.reason, mended) = (offset, reason, nil)
  }

  /// Converts the flaw of a piece to a flaw of the item that contains it.
  func within(_ item: [UInt8], piece: ArraySlice<UInt8>) -> ItemFlaw {
    let at = offset + piece.startIndex
    guard let mended else { return ItemFlaw(at, reason) }
    return ItemFlaw(
      at,
      reason,
      mended: item[..<piece.startIndex] + mended + item[piece.endIndex...]
    )
  }

  /// The first flaw of a piece that is not an address.
  static func find(in item: [UInt8], piece: ArraySlice<UInt8>) -> ItemFlaw {
    find(in: Array(piece)).within(item, piece: piece)
  }

  /// Searches for one kind of flaw.
  typealias Detector = @Sendable (_ item: [UInt8]) -> ItemFlaw?

  /// All kinds; those around an address precede those inside one.
  ///
  /// An item is at most ``ListItem/longestItem`` bytes of valid UTF-8 without control characters.
  private static let detectors: [Detector] = [
    nonASCII, commas, quotes, defanged, url, brackets, range, whiteSpace, endPunctuation,
    zone, hardwareAddress, port, slash, wildcard, number, octets, groups, name,
  ]

  /// The first flaw of an item that could not be parsed.
  static func find(in item: [UInt8]) -> ItemFlaw {
    for detect in detectors {
      if let flaw = detect(item) { return flaw }
    }
    let strange = item.firstIndex { !$0.isHexDigit && !":.".utf8.contains($0) }
    return strange.map { ItemFlaw($0, "\(quote(item[$0...$0])) is no part of an address") }
      ?? ItemFlaw(0, "is no address")
  }

  /// Quotes a piece of an item for a message.
  static func quote(_ piece: some Sequence<UInt8>) -> String {
    "'" + String(decoding: Array(piece), as: UTF8.self) + "'"
  }

  static func address(_ piece: ArraySlice<UInt8>) -> Address? { Address(ascii: piece.span) }

  static func isValid(_ text: [UInt8]) -> Bool {
    ListItem.parseValid(0..<text.count, of: text.span) != nil
  }

  /// Whether a piece consists of the characters of addresses, including a `.` or `:`.
  static func resemblesAddress(_ piece: ArraySlice<UInt8>) -> Bool {
    piece.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
      && piece.allSatisfy { $0.isHexDigit || ".:xX*".utf8.contains($0) }
  }

  static func trimmed(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let tail = piece.drop(while: \.isBlank)
    return tail.lastIndex { !$0.isBlank }.map { tail[...$0] } ?? tail
  }

  /// Whether a piece consists of decimal digits.
  static func isNumber(_ piece: ArraySlice<UInt8>) -> Bool {
    !piece.isEmpty && piece.allSatisfy(\.isDigit)
  }

  static func text(_ address: Address) -> [UInt8] {
    [UInt8](capacity: Address.textCapacity) { address.append(to: &$0) }
  }
}
