/// The first bytes of a format, or the bytes at a certain offset.
struct Signature: Equatable {
  private let bytes: [UInt8]
  /// The bits to compare, for bytes that are compared partially.
  private let masks: [Int: UInt8]
  /// The offset of the first byte.
  private let offset: Int

  init(_ bytes: [UInt8], at offset: Int = 0, masks: [Int: UInt8] = [:]) {
    (self.bytes, self.offset, self.masks) = (bytes, offset, masks)
  }

  /// Whether the first bytes have the signature; `nil` if there are too few.
  func matches(_ beginning: [UInt8]) -> Bool? {
    // A pipe with a complete line must not wait for more bytes.
    if beginning.count < offset, beginning.contains(UInt8(ascii: "\n")) { return false }
    for (index, (expected, byte)) in zip(bytes, beginning.dropFirst(offset)).enumerated() {
      guard (expected ^ byte) & masks[index, default: 0xff] == 0 else { return false }
    }
    return beginning.count < offset + bytes.count ? nil : true
  }
}
