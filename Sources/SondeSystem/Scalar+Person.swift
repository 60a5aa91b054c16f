extension Unicode.Scalar {
  /// Whether the character is shown as an escape.
  package var isEscapedForPerson: Bool {
    switch value {
    case 0x00...0x1f, 0x7f...0x9f: true  // C0, DEL, C1
    case 0x2028, 0x2029: true  // line and paragraph separators
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true  // UAX #9 §2
    default: false
    }
  }

  /// The width of the character on a terminal: 0, 1 or 2 columns.
  ///
  /// Combining and invisible characters have no width; East Asian wide characters (UAX #11) and
  /// emoji (UTS #51) have two columns.
  package var columns: Int {
    guard value >= 0x300 else { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return isConjoiningJamo ? 0 : isWide ? 2 : 1
  }

  /// Whether the character is a vowel or final consonant that joins the Hangul syllable before it.
  private var isConjoiningJamo: Bool { 0x1160...0x11ff ~= value || 0xd7b0...0xd7ff ~= value }

  /// Whether the character is twice as wide as a Latin letter.
  ///
  /// Regional indicators are emoji only in pairs, so each counts as one column.
  private var isWide: Bool {
    switch value {
    case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3040...0x3247, 0x3250...0x4dbf,
      0x4e00...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19,
      0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x1_6fe0...0x1_b2ff,
      0x1_f200...0x1_f265, 0x2_0000...0x2_fffd, 0x3_0000...0x3_fffd:
      true
    case 0x1_f1e6...0x1_f1ff: false
    default: properties.isEmojiPresentation
    }
  }
}
