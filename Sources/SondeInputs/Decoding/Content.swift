/// The content of an input, recognised by its first bytes.
package enum Content: Equatable {
  case text
  /// Text after a two-byte byte-order mark.
  case utf16(isBigEndian: Bool)
  case compressed(Compression)
  case foreign(ForeignFormat)

  /// The number of bytes needed to recognise any format.
  static let longestSignature = OldTarHeader.size

  /// Recognises the content of an input by its first ``longestSignature`` bytes, or all of them.
  ///
  /// Returns `nil` if there are too few bytes.
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

  /// In this order: the mark of UTF-32 begins like that of UTF-16, and other formats must not wait
  /// for the bytes of a tar archive.
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
