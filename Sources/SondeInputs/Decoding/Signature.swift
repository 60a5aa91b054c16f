/// The bytes that files of a format begin with, or hold at a place of their own.
struct Signature: Equatable {
  private static let lineFeed = UInt8(ascii: "\n")

  private let bytes: [UInt8]
  /// The bits that count, of the bytes where not all do.
  private let masks: [Int: UInt8]
  /// Where the first of them stands.
  private let offset: Int

  init(_ bytes: [UInt8], at offset: Int = 0, masks: [Int: UInt8] = [:]) {
    (self.bytes, self.offset, self.masks) = (bytes, offset, masks)
  }

  /// Whether a beginning has the signature; `nil` where it is too short to tell.
  func matches(_ beginning: [UInt8]) -> Bool? {
    // A whole line of a pipe is not held up for what may stand behind it.
    if beginning.count < offset, beginning.contains(Self.lineFeed) { return false }
    for (index, (expected, byte)) in zip(bytes, beginning.dropFirst(offset)).enumerated() {
      guard (expected ^ byte) & masks[index, default: 0xff] == 0 else { return false }
    }
    return beginning.count < offset + bytes.count ? nil : true
  }
}
