/// One thing that keeps an item from being read.
struct ItemFlaw {
  /// The offending byte, counted from the item's first.
  let offset: Int

  /// What is wrong, as the end of a sentence about the item.
  let reason: String

  /// The item without this flaw (others may remain), where the intent is plain.
  let mended: [UInt8]?

  init(_ offset: Int, _ reason: String, mended: some Sequence<UInt8>) {
    self.offset = offset
    self.reason = reason
    self.mended = Array(mended)
  }

  init(_ offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
    mended = nil
  }

  /// The flaw of a piece as the flaw of the item around it.
  func within(_ item: [UInt8], piece: ArraySlice<UInt8>) -> ItemFlaw {
    let at = offset + piece.startIndex
    guard let mended else { return ItemFlaw(at, reason) }
    return ItemFlaw(
      at,
      reason,
      mended: item[..<piece.startIndex] + mended + item[piece.endIndex...]
    )
  }

  /// The first flaw of a piece that is no address by itself.
  static func find(in item: [UInt8], piece: ArraySlice<UInt8>) -> ItemFlaw {
    find(in: Array(piece)).within(item, piece: piece)
  }

  /// Looks for one kind of flaw.
  typealias Detector = @Sendable (_ item: [UInt8]) -> ItemFlaw?

  /// All kinds, those that wrap an address before those inside one.
  ///
  /// An item is at most
  /// ``ListItem/longestItem`` bytes of valid UTF-8 without control characters.
  private static let detectors: [Detector] = [
    nonASCII, commas, quotes, defanged, url, brackets, range, whiteSpace, endPunctuation,
    zone, hardwareAddress, port, slash, wildcard, number, octets, groups, name,
  ]

  /// The first flaw of an item that could not be read.
  static func find(in item: [UInt8]) -> ItemFlaw {
    for detect in detectors {
      if let flaw = detect(item) { return flaw }
    }
    let strange = item.firstIndex { !$0.isHexDigit && !":.".utf8.contains($0) }
    return strange.map { ItemFlaw($0, "\(quote(item[$0...$0])) is no part of an address") }
      ?? ItemFlaw(0, "is no address")
  }

  /// A piece of an item for a message.
  static func quote(_ piece: some Sequence<UInt8>) -> String {
    "'" + String(decoding: Array(piece), as: UTF8.self) + "'"
  }

  /// Whether a piece is a whole address.
  static func address(_ piece: ArraySlice<UInt8>) -> Address? { Address(ascii: piece.span) }

  /// Whether a text is an item as it should be.
  static func isValid(_ text: [UInt8]) -> Bool {
    ListItem.parseValid(0..<text.count, of: text.span) != nil
  }

  /// Whether a piece holds nothing but what addresses are made of, a `.` or `:` among it.
  static func resemblesAddress(_ piece: ArraySlice<UInt8>) -> Bool {
    piece.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
      && piece.allSatisfy { $0.isHexDigit || ".:xX*".utf8.contains($0) }
  }

  /// A piece without the white space around it.
  static func trimmed(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let tail = piece.drop(while: \.isBlank)
    return tail.lastIndex { !$0.isBlank }.map { tail[...$0] } ?? tail
  }

  /// Whether a piece is a number in decimal digits.
  static func isNumber(_ piece: ArraySlice<UInt8>) -> Bool {
    !piece.isEmpty && piece.allSatisfy(\.isDigit)
  }

  /// The canonical text of an address.
  static func text(_ address: Address) -> [UInt8] {
    var bytes: [UInt8] = []
    address.append(to: &bytes)
    return bytes
  }
}
