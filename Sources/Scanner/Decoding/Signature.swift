/// The bytes that files of a format begin with.
struct Signature: Equatable {
  private let bytes: [UInt8]
  /// The bits that count, of the bytes where not all do.
  private let masks: [Int: UInt8]

  init(_ bytes: [UInt8], masks: [Int: UInt8] = [:]) { (self.bytes, self.masks) = (bytes, masks) }

  /// Whether a beginning has the signature; `nil` where it is too short to tell.
  func matches(_ beginning: [UInt8]) -> Bool? {
    for (index, (expected, byte)) in zip(bytes, beginning).enumerated() {
      guard (expected ^ byte) & masks[index, default: 0xff] == 0 else { return false }
    }
    return beginning.count < bytes.count ? nil : true
  }
}

/// What an input holds, told by its first bytes.
enum Content: Equatable {
  case text
  /// Text behind a byte-order mark of two bytes.
  case utf16(isBigEndian: Bool)
  case compressed(Compression)
  case foreign(ForeignFormat)

  /// As many bytes as any signature has.
  static let longestSignature = 16

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
    return .text
  }

  /// In this order: the mark of UTF-32 begins as the one of UTF-16.
  private static let signatures: [(Signature, Content)] =
    ForeignFormat.all.map { ($0.signature, .foreign($0)) }
    + Compression.allCases.flatMap { format in
      format.signatures.map { ($0, .compressed(format)) }
    }
    + [
      (Signature([0xff, 0xfe]), .utf16(isBigEndian: false)),
      (Signature([0xfe, 0xff]), .utf16(isBigEndian: true)),
    ]
}
