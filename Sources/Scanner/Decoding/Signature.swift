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

/// What an input holds, told by its first bytes.
enum Content: Equatable {
  case text
  /// Text behind a byte-order mark of two bytes.
  case utf16(isBigEndian: Bool)
  case compressed(Compression)
  case foreign(ForeignFormat)

  /// As many bytes as tell any format.
  static let longestSignature = OldTarHeader.size

  /// Judges an input by the bytes that it begins with.
  ///
  /// - Parameters:
  ///   - beginning: The first bytes, ``longestSignature`` or fewer.
  ///   - isWhole: Whether no more will come.
  /// - Returns: The content; `nil` while there are too few bytes to tell.
  static func judge(_ beginning: [UInt8], isWhole: Bool) -> Content? {
    for (signature, content) in signatures {
      switch signature.matches(beginning) {
      case true?: return content
      case nil where !isWhole: return nil
      case nil, false?: continue
      }
    }
    switch OldTarHeader.matches(beginning) {
    case true?: return .foreign(.tar)
    case nil where !isWhole: return nil
    case nil, false?: return .text
    }
  }

  /// In this order: the mark of UTF-32 begins as the one of UTF-16, and what is told by its first
  /// bytes does not wait for those of a tar archive.
  private static let signatures: [(Signature, Content)] =
    ForeignFormat.all.map { ($0.signature, .foreign($0)) }
    + Compression.allCases.flatMap { format in
      format.signatures.map { ($0, .compressed(format)) }
    }
    + [
      (Signature([0xff, 0xfe]), .utf16(isBigEndian: false)),
      (Signature([0xfe, 0xff]), .utf16(isBigEndian: true)),
      (ForeignFormat.tar.signature, .foreign(.tar)),
    ]
}
