#if arch(x86_64)
  import CSondeByteMasks
#endif

/// The product name before a position: a token (RFC 9110 §5.6.2) that begins with a letter and does
/// not follow `/`, as path segments do.
///
/// A `+` is not part of it, since some logs write blanks as `+`.
struct ProductName {
  /// Up to sixteen decoded bytes, the first one lowest.
  private let bytes: UInt128

  /// Reads the name that ends at a position; fails if there is none.
  init?(_ text: Span<UInt8>, endingAt end: Int, from floor: Int) {
    var bytes: UInt128 = 0
    var before = LogCharacter(text, endingAt: end, from: floor)
    while before.byte.isNameCharacter {
      bytes = bytes << 8 | UInt128(before.byte)
      before = LogCharacter(text, endingAt: before.edge, from: floor)
    }
    guard UInt8(truncatingIfNeeded: bytes).isLetter, before.byte != UInt8(ascii: "/") else {
      return nil
    }
    self.bytes = bytes
  }

  #if arch(x86_64)
    /// Reads a name of letters that ends at a position and follows a blank, as most browsers' do.
    @inline(__always)
    init?(plain text: Span<UInt8>, endingAt end: Int) {
      guard end >= 16 else { return nil }
      let lane = unsafe text.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: end &- 16,
        as: SIMD16<UInt8>.self
      )
      let count = (~(sonde_find_letters(lane) << 16)).leadingZeroBitCount
      guard (1...15).contains(count), Self.endsBlank(text, at: end &- count) else { return nil }
      bytes = unsafe unsafeBitCast(lane, to: UInt128.self) &>> UInt128(128 &- 8 &* count)
    }
  #endif

  /// Whether a blank, or its replacement in logs without blanks, ends at a position.
  @inline(__always)
  private static func endsBlank(_ text: Span<UInt8>, at end: Int) -> Bool {
    switch text.byte(end &- 1) {
    case UInt8(ascii: " "), UInt8(ascii: "+"): true
    case UInt8(ascii: "0"):
      text.byte(end &- 2) == UInt8(ascii: "2") && text.byte(end &- 3) == LogCharacter.percent
    default: false
    }
  }
}

// MARK: - Browsers

extension ProductName {
  /// Whether this is a browser's name, so that a version follows wherever it appears.
  @inline(__always)
  var isBrowser: Bool {
    Self.initials >> UInt64(truncatingIfNeeded: bytes & 0x3f) & 1 == 1
      && Self.browsers.contains(bytes)
  }

  /// The names of browsers with versions of four numbers, the most frequent first.
  private static let browsers = [
    "Chrome", "Edg", "OPR", "HeadlessChrome", "CriOS", "SamsungBrowser", "YaBrowser", "EdgA",
    "EdgiOS", "Edge", "Chromium", "Vivaldi", "Opera", "Brave", "Electron",
  ].map { name in name.utf8.reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) } }

  /// One bit per initial letter, which excludes most other names.
  private static let initials = browsers.reduce(0 as UInt64) { $0 | 1 << UInt64($1 & 0x3f) }
}

extension UInt8 {
  /// A `tchar` of RFC 9110 §5.6.2, except `+`, which replaces blanks in some logs.
  @inline(__always)
  var isNameCharacter: Bool {
    // Letters, digits and !#$%&'*-.^_`|~.
    let set: (UInt64, UInt64) = (0x03ff_64fa_0000_0000, 0x57ff_ffff_c7ff_fffe)
    return self < 0x80 && (self & 0x40 == 0 ? set.0 : set.1) >> UInt64(self & 0x3f) & 1 == 1
  }
}
